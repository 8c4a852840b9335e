import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../..');
const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

test('npm ci links the command: the lockfile names it too', () => {
  const { bin } = readJson('server/package.json');
  assert.deepEqual(Object.keys(bin), ['cloche-server']);
  assert.deepEqual(readJson('package-lock.json').packages.server.bin, bin);
  assert.match(
    readFileSync(join(ROOT, 'server', bin['cloche-server']), 'utf8'),
    /^#!\/usr\/bin\/env node\n/,
  );
});
