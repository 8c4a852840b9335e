import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram, OPTIONAL_PROGRAMS, SELECTED_TEST_FILES } from './optional-programs.ts';

const ROOT = join(import.meta.dirname, '..');

test('the list names every test file that needs a program, and no other', () => {
  const listed = [
    ...Object.values(OPTIONAL_PROGRAMS).flatMap(({ testFiles }) => testFiles),
    ...SELECTED_TEST_FILES,
  ];
  const using = globSync(
    ['{contract,pipeline,server,viewer,console,demo,e2e}/**/*.{test,browsers}.ts'],
    {
      cwd: ROOT,
      exclude: ['**/node_modules/**'],
    },
  ).filter((file) =>
    readFileSync(join(ROOT, file), 'utf8').match(/(?:skipWithout(?:Strict)?|skipUnlessSelected)\(/),
  );
  assert.deepEqual([...new Set(listed)].sort(), using.sort());
});

test('a program is found in the folders of PATH only', (t) => {
  const path = process.env.PATH;
  t.after(() => {
    process.env.PATH = path;
  });
  process.env.PATH = '/nonexistent';
  assert.equal(findProgram('firefox-esr'), undefined);
});
