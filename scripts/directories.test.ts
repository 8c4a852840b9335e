import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSourceFiles } from './source-files.ts';

const RECURSIVE_MKDIR = /\bmkdir(?:Sync)?\([^;]*?\brecursive: true/;

test('the service creates directories with createDirectory: recursive mkdir hides some errors behind ENOENT', async () => {
  const files = await readSourceFiles(join(import.meta.dirname, '..'), [
    'server/src/**/*.ts',
    'pipeline/src/**/*.ts',
  ]);
  assert.match("await mkdir(join(a, 'b'), { recursive: true, mode: 0o700 });", RECURSIVE_MKDIR);
  const found = [...files].filter(
    ([path, text]) => !path.endsWith('.test.ts') && RECURSIVE_MKDIR.test(text),
  );
  assert.deepEqual(
    found.map(([path]) => path),
    [],
  );
});
