import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { runTests, runTestsInSharedProcesses } from './run-node-tests.ts';

const ROOT = join(import.meta.dirname, '..');
// Not `spec`: it would print the failures among those of this run.
const OUTPUT = {
  reporter: './scripts/skipped-tests-reporter.ts',
  summaryReporter: './scripts/skipped-lines-reporter.ts',
};

test('failed tests are listed with their file and error, also those of shared processes', async (t) => {
  // Otherwise Node runs no tests inside of a test.
  delete process.env.NODE_TEST_CONTEXT;
  const directory = mkdtempSync(join(tmpdir(), 'cloche-failures-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'mixed.mjs');
  writeFileSync(
    path,
    `import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
test('passes', () => {});
test('is expected to fail', { todo: true }, () => assert.fail('known'));
describe('a suite', () => {
  test('compares', () => assert.equal(1, 2));
  test('throws later', async () => { setImmediate(() => { throw new Error('from a callback'); }); });
});
`,
  );
  const separate = await runTests({ testArguments: [path], concurrency: 1, ...OUTPUT });
  const shared = await runTestsInSharedProcesses([relative(ROOT, path)], {
    processCount: 1,
    ...OUTPUT,
  });
  for (const { passed, failures } of [separate, shared]) {
    assert.equal(passed, false);
    assert.ok(failures.includes(`- ${relative(ROOT, path)}: compares\n`), failures);
    assert.match(failures, /1 !== 2/);
    assert.match(failures, /from a callback/);
    assert.doesNotMatch(failures, /a suite|passes|known/);
  }
  const passing = join(directory, 'passing.mjs');
  writeFileSync(passing, `import { test } from 'node:test';\ntest('passes', () => {});\n`);
  const { passed, failures } = await runTests({
    testArguments: [passing],
    concurrency: 1,
    ...OUTPUT,
  });
  assert.deepEqual({ passed, failures }, { passed: true, failures: '' });
});
