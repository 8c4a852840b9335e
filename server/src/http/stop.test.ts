import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openService, type Service } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { head, Line } from '../../testing/requests.ts';
import { stop } from './stop.ts';

const FOR_EVER = 2 ** 30;

/** Tells when the service has got the first bytes of this many connections. */
function listenTo({ app }: Service): (count: number) => Promise<void> {
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));
  return async (count) => {
    while (sockets.filter(({ bytesRead }) => bytesRead > 0).length < count) await sleep(5);
    // What is read is handed on in the same turn, and dealt with by the next ones.
    await sleep(50);
  };
}

/** Waits until no new line is let in. */
async function untilDeaf({ origin }: Service): Promise<void> {
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
  const service = await openService(t, { listen: true });
  const heard = listenTo(service);
  const box = makeBox();
  const line = await Line.open(t, service);
  const sizes = { 'Content-Type': 'model/gltf-binary', 'Content-Length': box.length };
  line.send(head(service, 'POST /v1/designs', sizes)).send(box.subarray(0, 100));
  await heard(1);
  const stopped = stop(service.app, FOR_EVER);
  await untilDeaf(service);
  line.send(box.subarray(100));
  assert.equal((await line.hear())?.status, 201);
  await stopped;
});

test('idle connections do not hold a stop up', async (t) => {
  const service = await openService(t, { listen: true });
  const idle = await Line.open(t, service);
  idle.send(head(service, 'GET /v1/tokens'));
  assert.equal((await idle.hear())?.status, 200);
  const silent = await Line.open(t, service);
  await stop(service.app, FOR_EVER);
  assert.equal(await idle.hear(), undefined);
  assert.equal(await silent.hear(), undefined);
});

test('what does not finish is cut at the deadline', async (t) => {
  const service = await openService(t, { listen: true });
  const heard = listenTo(service);
  const line = await Line.open(t, service);
  const sizes = { 'Content-Type': 'model/gltf-binary', 'Content-Length': 1000 };
  line.send(head(service, 'POST /v1/designs', sizes)).send('glTF');
  await heard(1);
  await stop(service.app, 100);
  assert.equal(await line.hear(), undefined);
});

test('503: while stopping the service is not ready, and says so on open lines', async (t) => {
  const service = await openService(t, { listen: true });
  const heard = listenTo(service);
  const [probe, client, busy] = [
    await Line.open(t, service),
    await Line.open(t, service),
    await Line.open(t, service),
  ];
  const half = 'GET /readyz HTTP/1.1\r\nHost: x\r\n';
  probe.send(half);
  client.send(head(service, 'GET /v1/tokens').slice(0, -2));
  const sizes = { 'Content-Type': 'model/gltf-binary', 'Content-Length': 10 };
  busy.send(head(service, 'POST /v1/designs', sizes)).send('glTF');
  await heard(3);
  const stopped = stop(service.app, FOR_EVER);
  await untilDeaf(service);
  probe.send('\r\n');
  client.send('\r\n');
  const answer = await probe.hear();
  assert.equal(answer?.status, 503);
  assert.equal(answer?.headers['content-type'], 'application/problem+json; charset=utf-8');
  assert.equal(JSON.parse(answer?.body ?? '').code, 'server.unavailable');
  assert.match(answer?.body ?? '', /is stopping/);
  const last = await client.hear();
  assert.equal(last?.status, 200, 'who was let in is served');
  assert.equal(last?.headers.connection, 'close');
  busy.send('broken');
  assert.equal((await busy.hear())?.status, 422);
  await stopped;
});
