import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { assertPortAvailable, deliverToken, ensureDataDirectory } from './startup-checks.ts';

test('the first token goes into a new file that its owner alone can read', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const file = join(folder, 'token');
  await deliverToken('cloche_sk_x', file);
  assert.equal(await readFile(file, 'utf8'), 'cloche_sk_x\n');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder), ['token']);
});

test('a file that is there keeps what it holds, and the start says so', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const file = join(folder, 'token');
  await writeFile(file, 'of another service');
  const wish = { name: 'ConfigError', message: /CLOCHE_FIRST_TOKEN_FILE .* exists/ };
  await assert.rejects(deliverToken('cloche_sk_x', file), wish);
  assert.equal(await readFile(file, 'utf8'), 'of another service');
  assert.deepEqual(await readdir(folder), ['token']);
});

test('a port that is taken is told in words', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const taken = { name: 'ConfigError', message: /^CLOCHE_PORT is \d+, and something else listens/ };
  await assert.rejects(assertPortAvailable({ host: '127.0.0.1', port }), taken);
  await assertPortAvailable({ host: '127.0.0.1', port: 0 });
});

test('an address that is not of this machine is told in words', async () => {
  const wrong = { name: 'ConfigError', message: /^CLOCHE_HOST is "192\.0\.2\.1"/ };
  await assert.rejects(assertPortAvailable({ host: '192.0.2.1', port: 0 }), wrong);
});

test('a data folder that cannot be made is told in words', async (t) => {
  const file = join(await openTemporaryDirectory(t), 'file');
  await writeFile(file, '');
  for (const wish of [file, join(file, 'below')]) {
    const wrong = { name: 'ConfigError', message: /^CLOCHE_DATA names/ };
    await assert.rejects(ensureDataDirectory(wish), wrong);
  }
});
