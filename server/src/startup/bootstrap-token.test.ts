import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestDatabase } from '../../testing/test-database.ts';
import { createInitialUser, deliverToken } from './bootstrap-token.ts';

test('the bootstrap token is delivered once, and committed only if it was delivered', async (t) => {
  const database = await openTestDatabase(t);
  const fail = async () => {
    throw new Error('cannot be delivered');
  };
  await assert.rejects(createInitialUser(database, new Date(), fail), /cannot be delivered/);
  const delivered: string[] = [];
  const deliver = async (tokenString: string) => void delivered.push(tokenString);
  await createInitialUser(database, new Date(), deliver);
  await createInitialUser(database, new Date(), deliver);
  assert.equal(delivered.length, 1);
  assert.match(delivered[0] ?? '', /^cloche_sk_/);
});

test('the bootstrap token is written to a new file that only its owner can read', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const file = join(directory, 'token');
  await deliverToken('cloche_sk_x', file);
  assert.equal(await readFile(file, 'utf8'), 'cloche_sk_x\n');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(directory), ['token']);
});

test('an existing file is not overwritten, and the start fails', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const file = join(directory, 'token');
  await writeFile(file, 'of another service');
  const expected = { name: 'ConfigError', message: /CLOCHE_BOOTSTRAP_TOKEN_FILE .* exists/ };
  await assert.rejects(deliverToken('cloche_sk_x', file), expected);
  assert.equal(await readFile(file, 'utf8'), 'of another service');
  assert.deepEqual(await readdir(directory), ['token']);
});
