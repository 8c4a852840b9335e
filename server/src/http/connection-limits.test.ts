import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import { parseAddressRange } from './client-address.ts';

async function countConnections({ app }: TestServer): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

async function waitForConnections(service: TestServer, count: number): Promise<void> {
  while ((await countConnections(service)) !== count) await sleep(5);
}

/** Opens a connection that stays open when the service closes its side. */
async function openIgnoringFin(t: TestContext, { origin }: TestServer): Promise<Socket> {
  const port = Number(new URL(origin).port);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test('clients that ignore the end of the connection after 408 are disconnected', async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { headersMs: 100 } });
  for (const start of ['', 'GET /livez HTTP/1.1\r\nHost: x\r\n', 'GET']) {
    const sockets = await Promise.all(
      Array.from({ length: 20 }, () => openIgnoringFin(t, service)),
    );
    const answers = sockets.map(async (socket) => {
      socket.write(start);
      const [data] = await once(socket, 'data');
      return String(data).slice(0, 12);
    });
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(['HTTP/1.1 408']));
    await waitForConnections(service, 0);
  }
});

test('a client that does not read its response is disconnected', async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { idleMs: 200 } });
  service.app.server.on('connection', (socket) => socket.setNoDelay(true));
  const socket = await openIgnoringFin(t, service);
  socket.pause();
  // Each response has 100 kB; together they are more than all buffers between server and client hold.
  const request = formatRequestHead(service, 'GET /openapi.json');
  socket.write(request.repeat(400));
  await waitForConnections(service, 1);
  await waitForConnections(service, 0);
});

test('a request that is being prepared for longer than the idle time is not disconnected', async (t) => {
  const service = await openTestServer(t, {
    listen: true,
    timeouts: { idleMs: 400 },
    // Slows down the response.
    limits: { failedTokensPerMinute: 1 },
  });
  for (const status of [401, 429]) {
    const connection = await RawConnection.open(t, service);
    const head = formatRequestHead({ ...service, token: 'x' }, 'GET /v1/tokens');
    assert.equal((await connection.write(head).readResponse())?.status, status);
  }
});

test('connections are limited in total, and others work when some are closed', async (t) => {
  const service = await openTestServer(t, { listen: true, limits: { connections: 3 } });
  const sockets = await Promise.all([1, 2, 3].map(() => openIgnoringFin(t, service)));
  await waitForConnections(service, 3);
  const refused = await RawConnection.open(t, service);
  assert.equal(await refused.readResponse(), undefined);
  assert.match(service.logLines.join(''), /CLOCHE_MAX_CONNECTIONS/);
  sockets[0]?.destroy();
  await waitForConnections(service, 2);
  const accepted = await RawConnection.open(t, service);
  accepted.write(formatRequestHead(service, 'GET /v1/tokens'));
  assert.equal((await accepted.readResponse())?.status, 200);
});

test('connections are limited for each address, but not those of a trusted proxy', async (t) => {
  const limits = { connectionsPerAddress: 2 };
  const service = await openTestServer(t, { listen: true, limits });
  for (let round = 0; round < 2; round += 1) {
    const sockets = await Promise.all([1, 2].map(() => openIgnoringFin(t, service)));
    await waitForConnections(service, 2);
    const refused = await RawConnection.open(t, service);
    assert.equal(await refused.readResponse(), undefined);
    for (const socket of sockets) socket.destroy();
    await waitForConnections(service, 0);
  }
  const proxy = parseAddressRange('127.0.0.0/8') ?? assert.fail();
  const behindProxy = await openTestServer(t, { listen: true, limits, trustedProxies: [proxy] });
  await Promise.all([1, 2, 3, 4].map(() => openIgnoringFin(t, behindProxy)));
  await waitForConnections(behindProxy, 4);
});

test('a connection that cannot be accepted is logged, at most once a minute, and ends nothing', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE', syscall: 'accept' });
  // What Node does when the system has no descriptor for a connection.
  for (let count = 0; count < 3; count += 1) service.app.server.emit('error', error);
  const lines = service.logLines.filter((line) => line.includes('connections are refused'));
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /ulimit -n/);
  const connection = await RawConnection.open(t, service);
  connection.write(formatRequestHead(service, 'GET /livez'));
  assert.equal((await connection.readResponse())?.status, 200);
});
