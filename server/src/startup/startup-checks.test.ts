import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { assertPortAvailable } from './startup-checks.ts';

test('a port that is in use is a ConfigError', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const expected = { name: 'ConfigError', message: /^CLOCHE_PORT is \d+, and another program/ };
  await assert.rejects(assertPortAvailable({ host: '127.0.0.1', port }), expected);
  await assertPortAvailable({ host: '127.0.0.1', port: 0 });
});

test('an address of another machine is a ConfigError', async () => {
  const expected = { name: 'ConfigError', message: /^CLOCHE_HOST is "192\.0\.2\.1"/ };
  await assert.rejects(assertPortAvailable({ host: '192.0.2.1', port: 0 }), expected);
});
