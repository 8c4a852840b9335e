import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram, listOptionalTestFiles, SEPARATE_TEST_FILES } from './optional-programs.ts';

const ROOT = join(import.meta.dirname, '..');

test('the list names every test file that needs a program, and no other', () => {
  const using = globSync(
    ['{contract,pipeline,server,viewer,console,demo,e2e}/**/*.{test,browsers}.ts'],
    {
      cwd: ROOT,
      exclude: ['**/node_modules/**'],
    },
  ).filter((file) =>
    readFileSync(join(ROOT, file), 'utf8').match(/(?:skipWithout(?:Strict)?|skipUnlessSelected)\(/),
  );
  assert.deepEqual(listOptionalTestFiles().sort(), using.sort());
});

test('each test file that is left out of test:optional has a script of its own', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const [file, script] of Object.entries(SEPARATE_TEST_FILES))
    assert.equal(scripts[script], `node scripts/run-optional-tests.ts ${file}`);
});

test('a program is found in the folders of PATH only', (t) => {
  const path = process.env.PATH;
  t.after(() => {
    process.env.PATH = path;
  });
  process.env.PATH = '/nonexistent';
  assert.equal(findProgram('firefox-esr'), undefined);
});
