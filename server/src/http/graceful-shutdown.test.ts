import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import { shutDownGracefully } from './graceful-shutdown.ts';

const NO_DEADLINE_MS = 2 ** 30;

/** Tells when the service has got the first bytes of this many connections. */
function trackConnections({ app }: TestServer): (count: number) => Promise<void> {
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));
  return async (count) => {
    while (sockets.filter(({ bytesRead }) => bytesRead > 0).length < count) await sleep(5);
    // What is read is handed on in the same turn, and dealt with by the next ones.
    await sleep(50);
  };
}

/** Waits until no new line is let in. */
async function waitUntilClosedToNew({ origin }: TestServer): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    const met = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(
        () => false,
        () => false,
      ),
    ]).catch(() => false);
    socket.destroy();
    if (!met) return;
    await sleep(5);
  }
}

test('an upload in flight finishes, and its answer is read', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const heard = trackConnections(service);
  const box = makeBox();
  const line = await RawConnection.open(t, service);
  const sizes = { 'Content-Type': 'model/gltf-binary', 'Content-Length': box.length };
  line.write(formatRequestHead(service, 'POST /v1/designs', sizes)).write(box.subarray(0, 100));
  await heard(1);
  const stopped = shutDownGracefully(service.app, NO_DEADLINE_MS);
  await waitUntilClosedToNew(service);
  line.write(box.subarray(100));
  assert.equal((await line.readResponse())?.status, 201);
  await stopped;
});

test('idle connections do not hold a stop up', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const idle = await RawConnection.open(t, service);
  idle.write(formatRequestHead(service, 'GET /v1/tokens'));
  assert.equal((await idle.readResponse())?.status, 200);
  const silent = await RawConnection.open(t, service);
  await shutDownGracefully(service.app, NO_DEADLINE_MS);
  assert.equal(await idle.readResponse(), undefined);
  assert.equal(await silent.readResponse(), undefined);
});

test('what does not finish is cut at the deadline', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const heard = trackConnections(service);
  const line = await RawConnection.open(t, service);
  const sizes = { 'Content-Type': 'model/gltf-binary', 'Content-Length': 1000 };
  line.write(formatRequestHead(service, 'POST /v1/designs', sizes)).write('glTF');
  await heard(1);
  await shutDownGracefully(service.app, 100);
  assert.equal(await line.readResponse(), undefined);
});

test('503: while stopping the service is not ready, and says so on open lines', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const heard = trackConnections(service);
  const [probe, client, busy] = [
    await RawConnection.open(t, service),
    await RawConnection.open(t, service),
    await RawConnection.open(t, service),
  ];
  const half = 'GET /readyz HTTP/1.1\r\nHost: x\r\n';
  probe.write(half);
  client.write(formatRequestHead(service, 'GET /v1/tokens').slice(0, -2));
  const sizes = { 'Content-Type': 'model/gltf-binary', 'Content-Length': 10 };
  busy.write(formatRequestHead(service, 'POST /v1/designs', sizes)).write('glTF');
  await heard(3);
  const stopped = shutDownGracefully(service.app, NO_DEADLINE_MS);
  await waitUntilClosedToNew(service);
  probe.write('\r\n');
  client.write('\r\n');
  const answer = await probe.readResponse();
  assert.equal(answer?.status, 503);
  assert.equal(answer?.headers['content-type'], 'application/problem+json; charset=utf-8');
  assert.equal(JSON.parse(answer?.body ?? '').code, 'server.unavailable');
  assert.match(answer?.body ?? '', /is stopping/);
  const last = await client.readResponse();
  assert.equal(last?.status, 200, 'who was let in is served');
  assert.equal(last?.headers.connection, 'close');
  busy.write('broken');
  assert.equal((await busy.readResponse())?.status, 422);
  await stopped;
});
