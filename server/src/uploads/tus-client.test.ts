import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { FlakyTcpProxy } from '../../testing/flaky-tcp-proxy.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import {
  listUploadDirectory,
  makeLargeGlb,
  type TusClientResult,
  uploadWithTusClient,
} from '../../testing/tus-requests.ts';
import { shutDownGracefully } from '../http/graceful-shutdown.ts';

const MB = 1024 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The one design there is, which must be what was sent. */
async function assertDesignCreated(
  service: TestServer,
  sent: TusClientResult,
  bytes: Buffer,
): Promise<void> {
  assert.equal(sent.error?.message, undefined);
  const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
  assert.deepEqual(
    items.map(({ uri }: { uri: string }) => uri),
    [sent.designUri],
  );
  const { id } = items[0];
  const { items: revisions } = (
    await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)
  ).json();
  assert.deepEqual(
    revisions.map((one: { sha256: string }) => one.sha256),
    [sha256(bytes)],
  );
  assert.deepEqual(await listUploadDirectory(service), ['note']);
}

test('a client sends a file, and hears which design it is', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeBox();
  const sent = await uploadWithTusClient(service, bytes, {
    metadata: { filename: 'Oak chair.glb' },
  });
  await assertDesignCreated(service, sent, bytes);
  assert.deepEqual(sent.exchanges, ['POST 201', 'PATCH 204']);
  assert.match(sent.url, new RegExp(`^${service.origin}/v1/uploads/[0-9a-f]{32}$`));
  const id = sent.designUri?.slice('cloche:design:'.length);
  const design = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
  assert.equal(design.name, 'Oak chair');
});

test('a client sends all with the first request', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeBox();
  const sent = await uploadWithTusClient(service, bytes, { uploadDataDuringCreation: true });
  await assertDesignCreated(service, sent, bytes);
  assert.deepEqual(sent.exchanges, ['POST 201']);
});

test('a client that learns the size late is heard', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeLargeGlb(MB);
  const options = { uploadLengthDeferred: true, chunkSize: 300_000 };
  await assertDesignCreated(service, await uploadWithTusClient(service, bytes, options), bytes);
});

test('a connection that is cut in the middle is taken up where it was', async (t) => {
  const line = await FlakyTcpProxy.open(t);
  const service = await openTestServer(t, { listen: true, publicUrl: line.origin });
  line.targetPort = Number(new URL(service.origin).port);
  line.cutAfterBytes = 3 * MB;
  const bytes = makeLargeGlb(5 * MB);
  const sent = await uploadWithTusClient({ ...service, origin: line.origin }, bytes);
  assert.deepEqual(sent.exchanges, ['POST 201', 'HEAD 200', 'PATCH 204']);
  // The half before the cut was not sent again.
  assert.ok(line.forwardedBytes < 7 * MB, String(line.forwardedBytes));
  await assertDesignCreated({ ...service, origin: line.origin }, sent, bytes);
});

test('a service that is stopped in the middle goes on after its start', async (t) => {
  const line = await FlakyTcpProxy.open(t);
  const first = await openTestServer(t, { listen: true, publicUrl: line.origin });
  line.targetPort = Number(new URL(first.origin).port);
  const bytes = makeLargeGlb(3 * MB);
  const stopped = Promise.withResolvers<void>();
  const sending = uploadWithTusClient({ ...first, origin: line.origin }, bytes, {
    chunkSize: MB,
    onChunkComplete: (_size, accepted) => {
      if (accepted > MB) return;
      line.targetPort = undefined;
      line.destroyConnections();
      stopped.resolve();
    },
  });
  await stopped.promise;
  await shutDownGracefully(first.app, 100);
  const { dataDirectory } = first;
  const second = await openTestServer(t, { listen: true, publicUrl: line.origin, dataDirectory });
  line.targetPort = Number(new URL(second.origin).port);
  const sent = await sending;
  assert.ok(line.forwardedBytes < 5 * MB, String(line.forwardedBytes));
  await assertDesignCreated({ ...second, token: first.token, origin: line.origin }, sent, bytes);
  await shutDownGracefully(second.app, 100);
});

test('422: a file with another SHA-256 than was announced is no design', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeBox();
  const wrong = { sha256: sha256(Buffer.from('another')) };
  const { error, exchanges, url } = await uploadWithTusClient(service, bytes, { metadata: wrong });
  assert.deepEqual(exchanges, ['POST 201', 'PATCH 422']);
  assert.equal(JSON.parse(error?.originalResponse?.getBody() ?? '').code, 'design.checksum');
  assert.deepEqual((await sendRequest(service, 'GET', '/v1/designs')).json().items, []);
  assert.deepEqual(await listUploadDirectory(service), ['note']);

  // Who lost that answer is told it again.
  const { pathname } = new URL(url);
  const again = await sendRequest(service, 'HEAD', pathname, undefined, {
    'tus-resumable': '1.0.0',
  });
  assert.equal(again.statusCode, 422);

  const right = { sha256: sha256(bytes).toUpperCase() };
  assert.equal((await uploadWithTusClient(service, bytes, { metadata: right })).error, undefined);
});

test('a file becomes the next revision of a design, by a token for that design', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const design = await uploadTestDesign(service);
  const wish = { capabilities: ['write'], origins: [], designs: [design.id] };
  const { token } = await issueToken(service, wish);
  const wished = { metadata: { design: design.uri } };
  const sent = await uploadWithTusClient({ ...service, token }, makeBox({ size: 2 }), wished);
  assert.equal(sent.error?.message, undefined);
  assert.equal(sent.designUri, design.uri);
  const { items } = (
    await sendRequest(service, 'GET', `/v1/designs/${design.id}/revisions`)
  ).json();
  assert.deepEqual(
    items.map((one: { number: number }) => one.number),
    [2, 1],
  );
});
