import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import { shutDownGracefully } from './graceful-shutdown.ts';

const LONG_TIMEOUT_MS = 2 ** 30;

/** Returns a function that waits until the service has received bytes on `count` connections. */
function trackConnections({ app }: TestServer): (count: number) => Promise<void> {
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));
  return async (count) => {
    while (sockets.filter(({ bytesRead }) => bytesRead > 0).length < count) await sleep(5);
    // Gives the service time to process what it has read.
    await sleep(50);
  };
}

/** Waits until the service refuses new connections. */
async function waitUntilClosedToNew({ origin }: TestServer): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    const connected = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(
        () => false,
        () => false,
      ),
    ]).catch(() => false);
    socket.destroy();
    if (!connected) return;
    await sleep(5);
  }
}

test('a shutdown lets an upload in progress finish and sends its response', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const waitForConnections = trackConnections(service);
  const box = makeBox();
  const connection = await RawConnection.open(t, service);
  const headers = { 'Content-Type': 'model/gltf-binary', 'Content-Length': box.length };
  connection
    .write(formatRequestHead(service, 'POST /v1/designs', headers))
    .write(box.subarray(0, 100));
  await waitForConnections(1);
  const stopped = shutDownGracefully(service.app, LONG_TIMEOUT_MS);
  await waitUntilClosedToNew(service);
  connection.write(box.subarray(100));
  assert.equal((await connection.readResponse())?.status, 201);
  await stopped;
});

test('idle and unused connections do not delay a shutdown', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const idle = await RawConnection.open(t, service);
  idle.write(formatRequestHead(service, 'GET /v1/tokens'));
  assert.equal((await idle.readResponse())?.status, 200);
  const unused = await RawConnection.open(t, service);
  await shutDownGracefully(service.app, LONG_TIMEOUT_MS);
  assert.equal(await idle.readResponse(), undefined);
  assert.equal(await unused.readResponse(), undefined);
});

test('after its timeout, a shutdown closes connections with unfinished requests', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const waitForConnections = trackConnections(service);
  const connection = await RawConnection.open(t, service);
  const headers = { 'Content-Type': 'model/gltf-binary', 'Content-Length': 1000 };
  connection.write(formatRequestHead(service, 'POST /v1/designs', headers)).write('glTF');
  await waitForConnections(1);
  await shutDownGracefully(service.app, 100);
  assert.equal(await connection.readResponse(), undefined);
});

test('503: during a shutdown /readyz reports it, and open connections are still served', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const waitForConnections = trackConnections(service);
  const [probe, client, busy] = [
    await RawConnection.open(t, service),
    await RawConnection.open(t, service),
    await RawConnection.open(t, service),
  ];
  const partialRequest = 'GET /readyz HTTP/1.1\r\nHost: x\r\n';
  probe.write(partialRequest);
  client.write(formatRequestHead(service, 'GET /v1/tokens').slice(0, -2));
  const headers = { 'Content-Type': 'model/gltf-binary', 'Content-Length': 10 };
  busy.write(formatRequestHead(service, 'POST /v1/designs', headers)).write('glTF');
  await waitForConnections(3);
  const stopped = shutDownGracefully(service.app, LONG_TIMEOUT_MS);
  await waitUntilClosedToNew(service);
  probe.write('\r\n');
  client.write('\r\n');
  const response = await probe.readResponse();
  assert.equal(response?.status, 503);
  assert.equal(response?.headers['content-type'], 'application/problem+json; charset=utf-8');
  assert.equal(JSON.parse(response?.body ?? '').code, 'server.unavailable');
  assert.match(response?.body ?? '', /is shutting down/);
  const lastResponse = await client.readResponse();
  assert.equal(lastResponse?.status, 200, 'requests on open connections are served');
  assert.equal(lastResponse?.headers.connection, 'close');
  busy.write('broken');
  assert.equal((await busy.readResponse())?.status, 422);
  await stopped;
});

test('a shutdown gives idle connections time for one more request, which closes them', async (t) => {
  const service = await openTestServer(t, {
    listen: true,
    timeouts: { connectionDrainMs: LONG_TIMEOUT_MS },
  });
  const [used, unused] = [
    await RawConnection.open(t, service),
    await RawConnection.open(t, service),
  ];
  used.write(formatRequestHead(service, 'GET /v1/tokens'));
  assert.equal((await used.readResponse())?.headers.connection, 'keep-alive');
  const stopped = shutDownGracefully(service.app, LONG_TIMEOUT_MS);
  await waitUntilClosedToNew(service);
  for (const connection of [used, unused]) {
    connection.write(formatRequestHead(service, 'GET /v1/tokens'));
    const response = await connection.readResponse();
    assert.deepEqual([response?.status, response?.headers.connection], [200, 'close']);
    assert.equal(await connection.readResponse(), undefined);
  }
  await stopped;
});
