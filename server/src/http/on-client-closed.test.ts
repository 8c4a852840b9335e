import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { onClientClosed } from './on-client-closed.ts';

test('a client that goes away is noticed, also if it went before', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: cloche.test\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const calls: string[] = [];
  onClientClosed(response, () => calls.push('open'));
  assert.equal(calls.length, 0);
  const closed = once(response, 'close');
  client.destroy();
  await closed;
  onClientClosed(response, () => calls.push('closed'));
  assert.deepEqual(calls, ['open', 'closed']);
});
