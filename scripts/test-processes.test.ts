import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { listPostgresTestFiles } from './postgres-tests.ts';
import {
  divideTestFiles,
  LONGEST_TEST_FILES,
  listUnfinishedFiles,
  OWN_PROCESS_TEST_FILES,
  sharesProcess,
  writeProcessModules,
} from './test-processes.ts';

const ROOT = join(import.meta.dirname, '..');
const PROCESS_COUNT = 3;

test('each test file is run once, some of them in a process without the others', async () => {
  const all = globSync('**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });
  const files = all.filter(sharesProcess).sort();
  assert.ok(files.length > 350 && all.length > files.length);
  const { own, queue } = divideTestFiles(files);
  assert.deepEqual([...own, ...queue].sort(), files);
  assert.deepEqual(own, Object.keys(OWN_PROCESS_TEST_FILES));
  assert.deepEqual(queue.slice(0, LONGEST_TEST_FILES.length), LONGEST_TEST_FILES);
  const withPostgres = await listPostgresTestFiles();
  assert.deepEqual(
    LONGEST_TEST_FILES.filter((file) => file.startsWith('server/') && !withPostgres.includes(file)),
    [],
  );
});

test('processes share the files of a queue, and a file that cannot be loaded or ends its process is a failure', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'cloche-queue-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const names = Array.from({ length: PROCESS_COUNT + 2 }, (_, index) => `f${index}`);
  for (const name of names)
    writeFileSync(
      join(directory, `${name}.mjs`),
      `import { after, test } from 'node:test';
// Node marks a promise that a hook follows.
if (Object.getOwnPropertySymbols(Promise.resolve()).length > 0) throw new Error('promises are followed');
let hasEnded = false;
after(() => console.log('${name} ended after its test: ' + hasEnded));
test('${name} runs', async () => { await new Promise(setImmediate); hasEnded = true; });
`,
    );
  writeFileSync(join(directory, 'broken.mjs'), `import './missing.mjs';\n`);
  writeFileSync(join(directory, 'exits.mjs'), 'process.exit(0);\n');
  writeFileSync(
    join(directory, 'throws.mjs'),
    `import { test } from 'node:test';
test('throws outside of its promise', async () => {
  await new Promise(setImmediate);
  setImmediate(() => { throw new Error('from a callback'); });
  Promise.reject(new Error('that nobody awaits'));
});
`,
  );
  const testMask = (name: string, mask: string) =>
    writeFileSync(
      join(directory, `${name}.mjs`),
      `import { test } from 'node:test';
test('${name}', () => { if (process.umask(0o077) !== ${mask}) throw new Error('another mask'); });
`,
    );
  for (const name of ['mask0', 'mask1']) testMask(name, String(process.umask()));
  writeFileSync(join(directory, 'killed.mjs'), `process.kill(process.pid, 'SIGKILL');\n`);
  const run = (queue: string[], own: string[] = []) => {
    const claims = mkdtempSync(join(directory, 'run-'));
    const toPaths = (names: string[]) => names.map((name) => join(directory, `${name}.mjs`));
    const files = { own: toPaths(own), queue: toPaths(queue) };
    const options = { root: '', directory: claims, processCount: PROCESS_COUNT };
    const modules = writeProcessModules(files, options);
    const ownCount = own.length > 0 ? 1 : 0;
    assert.equal(modules.length, ownCount + Math.min(PROCESS_COUNT, queue.length));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--test', '--test-reporter=tap', ...modules],
      { cwd: ROOT, encoding: 'utf8', env },
    );
    const unfinished = listUnfinishedFiles(files, claims).map((path) => basename(path, '.mjs'));
    return { status, stdout, unfinished };
  };
  const passing = run(names.slice(2), names.slice(0, 2));
  assert.equal(passing.status, 0, passing.stdout);
  for (const name of names) {
    assert.equal(passing.stdout.split(`${name} ended after its test: true`).length, 2, name);
    assert.equal(passing.stdout.split(` - ${name} runs`).length, 2, name);
  }
  assert.deepEqual(passing.unfinished, []);
  const masked = run(['f0'], ['mask0', 'mask1']);
  assert.equal(masked.status, 0, masked.stdout);
  const failing = run(['f0', 'broken', 'f1']);
  assert.notEqual(failing.status, 0);
  assert.match(failing.stdout, /missing\.mjs/);
  assert.deepEqual(failing.unfinished, []);
  for (const name of ['f0', 'f1'])
    assert.match(failing.stdout, new RegExp(`ok \\d+ - ${name} runs`));
  const throwing = run(['f0', 'throws', 'f1']);
  assert.notEqual(throwing.status, 0);
  for (const message of ['from a callback', 'that nobody awaits'])
    assert.match(throwing.stdout, new RegExp(message));
  const killed = run(['f0', 'killed', 'f1', 'f2']);
  assert.notEqual(killed.status, 0);
  assert.deepEqual(killed.unfinished, ['killed']);
  // node --test does not notice it.
  assert.deepEqual(run(['f0', 'exits', 'f1', 'f2']).unfinished, ['exits']);
  assert.deepEqual(run(['f0'], ['f1', 'exits', 'f2']).unfinished, ['exits', 'f2']);
});
