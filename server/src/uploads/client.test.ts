import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { CuttableLine } from '../../testing/cuttable.ts';
import { openService, type Service } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask, issue, upload } from '../../testing/requests.ts';
import { kept, makeLarge, type Sent, send } from '../../testing/tus.ts';
import { stop } from '../http/stop.ts';

const MB = 1024 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The one design there is, which must be what was sent. */
async function assertArrived(service: Service, sent: Sent, bytes: Buffer): Promise<void> {
  assert.equal(sent.error?.message, undefined);
  const { items } = (await ask(service, 'GET', '/v1/designs')).json();
  assert.deepEqual(
    items.map(({ uri }: { uri: string }) => uri),
    [sent.design],
  );
  const { id } = items[0];
  const { items: revisions } = (await ask(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.deepEqual(
    revisions.map((one: { sha256: string }) => one.sha256),
    [sha256(bytes)],
  );
  assert.deepEqual(await kept(service), ['note']);
}

test('a client sends a file, and hears which design it is', async (t) => {
  const service = await openService(t, { listen: true });
  const bytes = makeBox();
  const sent = await send(service, bytes, { metadata: { filename: 'Oak chair.glb' } });
  await assertArrived(service, sent, bytes);
  assert.deepEqual(sent.said, ['POST 201', 'PATCH 204']);
  assert.match(sent.url, new RegExp(`^${service.origin}/v1/uploads/[0-9a-f]{32}$`));
  const id = sent.design?.slice('cloche:design:'.length);
  const design = (await ask(service, 'GET', `/v1/designs/${id}`)).json();
  assert.equal(design.name, 'Oak chair');
});

test('a client sends all with the first request', async (t) => {
  const service = await openService(t, { listen: true });
  const bytes = makeBox();
  const sent = await send(service, bytes, { uploadDataDuringCreation: true });
  await assertArrived(service, sent, bytes);
  assert.deepEqual(sent.said, ['POST 201']);
});

test('a client that learns the size late is heard', async (t) => {
  const service = await openService(t, { listen: true });
  const bytes = makeLarge(MB);
  const options = { uploadLengthDeferred: true, chunkSize: 300_000 };
  await assertArrived(service, await send(service, bytes, options), bytes);
});

test('a connection that is cut in the middle is taken up where it was', async (t) => {
  const line = await CuttableLine.open(t);
  const service = await openService(t, { listen: true, publicUrl: line.origin });
  line.port = Number(new URL(service.origin).port);
  line.cutAfter = 3 * MB;
  const bytes = makeLarge(5 * MB);
  const sent = await send({ ...service, origin: line.origin }, bytes);
  assert.deepEqual(sent.said, ['POST 201', 'HEAD 200', 'PATCH 204']);
  // The half before the cut was not sent again.
  assert.ok(line.passed < 7 * MB, String(line.passed));
  await assertArrived({ ...service, origin: line.origin }, sent, bytes);
});

test('a service that is stopped in the middle goes on after its start', async (t) => {
  const line = await CuttableLine.open(t);
  const first = await openService(t, { listen: true, publicUrl: line.origin });
  line.port = Number(new URL(first.origin).port);
  const bytes = makeLarge(3 * MB);
  const stopped = Promise.withResolvers<void>();
  const sending = send({ ...first, origin: line.origin }, bytes, {
    chunkSize: MB,
    onChunkComplete: (_size, accepted) => {
      if (accepted > MB) return;
      line.port = undefined;
      line.cut();
      stopped.resolve();
    },
  });
  await stopped.promise;
  await stop(first.app, 100);
  const { folder } = first;
  const second = await openService(t, { listen: true, publicUrl: line.origin, folder });
  line.port = Number(new URL(second.origin).port);
  const sent = await sending;
  assert.ok(line.passed < 5 * MB, String(line.passed));
  await assertArrived({ ...second, token: first.token, origin: line.origin }, sent, bytes);
  await stop(second.app, 100);
});

test('422: a file with another SHA-256 than was announced is no design', async (t) => {
  const service = await openService(t, { listen: true });
  const bytes = makeBox();
  const wrong = { sha256: sha256(Buffer.from('another')) };
  const { error, said, url } = await send(service, bytes, { metadata: wrong });
  assert.deepEqual(said, ['POST 201', 'PATCH 422']);
  assert.equal(JSON.parse(error?.originalResponse?.getBody() ?? '').code, 'design.checksum');
  assert.deepEqual((await ask(service, 'GET', '/v1/designs')).json().items, []);
  assert.deepEqual(await kept(service), ['note']);

  // Who lost that answer is told it again.
  const { pathname } = new URL(url);
  const again = await ask(service, 'HEAD', pathname, undefined, { 'tus-resumable': '1.0.0' });
  assert.equal(again.statusCode, 422);

  const right = { sha256: sha256(bytes).toUpperCase() };
  assert.equal((await send(service, bytes, { metadata: right })).error, undefined);
});

test('a file becomes the next revision of a design, by a token for that design', async (t) => {
  const service = await openService(t, { listen: true });
  const design = await upload(service);
  const wish = { capabilities: ['write'], origins: [], designs: [design.id] };
  const { token } = await issue(service, wish);
  const wished = { metadata: { design: design.uri } };
  const sent = await send({ ...service, token }, makeBox({ size: 2 }), wished);
  assert.equal(sent.error?.message, undefined);
  assert.equal(sent.design, design.uri);
  const { items } = (await ask(service, 'GET', `/v1/designs/${design.id}/revisions`)).json();
  assert.deepEqual(
    items.map((one: { number: number }) => one.number),
    [2, 1],
  );
});
