import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { findPort } from './find-port.ts';

test('findPort skips ports in use and never returns a port twice', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port: usedPort } = server.address() as AddressInfo;

  const first = await findPort(usedPort, 'the first');
  const second = await findPort(usedPort, 'the second');
  const third = await findPort(first, 'the third');
  assert.equal(new Set([usedPort, first, second, third]).size, 4);
});
