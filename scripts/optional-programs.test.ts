import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  findProgram,
  listOptionalTestFiles,
  listSkippedTestFiles,
  OPTIONAL_PROGRAMS,
  POOLER_TEST_FILE,
  SELECTED_TEST_FILES,
  SEPARATE_TEST_FILES,
} from './optional-programs.ts';

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

test('the list names every test file that only a script of its own or test:optional runs, and no other', () => {
  const using = listOptionalTestFiles().filter((file) =>
    readFileSync(join(ROOT, file), 'utf8').includes('skipUnlessSelected('),
  );
  assert.deepEqual([...SELECTED_TEST_FILES], using.sort());
});

test('npm test skips the tests of a program that is missing, and runs the others', (t) => {
  const path = process.env.PATH;
  t.after(() => {
    process.env.PATH = path;
  });
  const programs = mkdtempSync(join(tmpdir(), 'cloche-programs-'));
  t.after(() => rmSync(programs, { recursive: true }));
  process.env.PATH = programs;
  assert.ok(listSkippedTestFiles().includes('e2e/browsers.test.ts'));
  // A program may also be in the folder of servers, whatever PATH is.
  const hasPgBouncer = findProgram('pgbouncer') !== undefined;
  assert.equal(listSkippedTestFiles().includes(POOLER_TEST_FILE), !hasPgBouncer);
  for (const name of Object.keys(OPTIONAL_PROGRAMS))
    writeFileSync(join(programs, name), '', { mode: 0o755 });
  const ofBrowsers = ['e2e/gate/gate-firefox.browsers.ts', 'e2e/gate/gate-webkit.browsers.ts'];
  // `npm test` runs the tests of the server through PgBouncer, without this file.
  const selected = SELECTED_TEST_FILES.filter((file) => file !== POOLER_TEST_FILE);
  assert.deepEqual(listSkippedTestFiles().sort(), [...ofBrowsers, ...selected].sort());
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
