import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { findPort } from './find-port.ts';

test('a port that is taken gives way to another, and no two are the same', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;

  const first = await findPort(taken, 'the first');
  const second = await findPort(taken, 'the second');
  const third = await findPort(first, 'the third');
  assert.equal(new Set([taken, first, second, third]).size, 4);
});
