import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { makeBox, makeLargeGlb } from '@cloche/pipeline/testing/models';
import { FlakyTcpProxy } from '../../testing/flaky-tcp-proxy.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { type TusClientResult, uploadWithTusClient } from '../../testing/tus-client.ts';
import { listStoredUploads } from '../../testing/tus-requests.ts';
import { shutDownGracefully } from '../http/graceful-shutdown.ts';
import { UploadLeases } from './upload-leases.ts';

const MB = 1024 * 1024;
/** Headers, and the chunk with which the proxy cuts the connection. */
const MAX_ADDITIONAL_BYTES = 128 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Checks that the upload succeeded and that its file is the only design. */
async function assertDesignCreated(
  t: TestContext,
  service: TestServer,
  upload: TusClientResult,
  bytes: Buffer,
): Promise<void> {
  assert.equal(upload.error?.message, undefined);
  const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
  assert.deepEqual(
    items.map(({ uri }: { uri: string }) => uri),
    [upload.designUri],
  );
  const { id } = items[0];
  const { items: revisions } = (
    await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)
  ).json();
  assert.deepEqual(
    revisions.map((revision: { sha256: string }) => revision.sha256),
    [sha256(bytes)],
  );
  assert.deepEqual(await listStoredUploads(t, service), ['metadata']);
}

test('201, 204: an upload with tus-js-client returns the URI of its design', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeBox();
  const upload = await uploadWithTusClient(service, bytes, {
    metadata: { filename: 'Oak chair.glb' },
  });
  await assertDesignCreated(t, service, upload, bytes);
  assert.deepEqual(upload.exchanges, ['POST 201', 'PATCH 204']);
  assert.match(upload.url, new RegExp(`^${service.origin}/v1/uploads/[0-9a-f]{32}$`));
  const id = upload.designUri?.slice('cloche:design:'.length);
  const design = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
  assert.equal(design.name, 'Oak chair');
});

test('201: creation with upload', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeBox();
  const upload = await uploadWithTusClient(service, bytes, { uploadDataDuringCreation: true });
  await assertDesignCreated(t, service, upload, bytes);
  assert.deepEqual(upload.exchanges, ['POST 201']);
});

test('204: an upload with deferred length', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeLargeGlb(MB);
  const options = { uploadLengthDeferred: true, chunkSize: 300_000 };
  await assertDesignCreated(t, service, await uploadWithTusClient(service, bytes, options), bytes);
});

test('204: an upload resumes after the connection was interrupted', async (t) => {
  const proxy = await FlakyTcpProxy.open(t);
  const service = await openTestServer(t, { listen: true, publicUrl: proxy.origin });
  proxy.targetPort = Number(new URL(service.origin).port);
  proxy.cutAfterBytes = 3 * MB;
  const bytes = makeLargeGlb(5 * MB);
  const upload = await uploadWithTusClient({ ...service, origin: proxy.origin }, bytes);
  assert.deepEqual(upload.exchanges, ['POST 201', 'HEAD 200', 'PATCH 204']);
  // How much the service had read when the connection was cut depends on the machine. That is not sent again.
  assert.ok(upload.lastOffset > 0);
  const maxBytes = 3 * MB + (bytes.length - upload.lastOffset) + MAX_ADDITIONAL_BYTES;
  assert.ok(proxy.forwardedBytes < maxBytes, `${proxy.forwardedBytes}, at most ${maxBytes}`);
  await assertDesignCreated(t, { ...service, origin: proxy.origin }, upload, bytes);
});

test('204: an upload resumes after the server was restarted', async (t) => {
  const proxy = await FlakyTcpProxy.open(t);
  const first = await openTestServer(t, { listen: true, publicUrl: proxy.origin });
  proxy.targetPort = Number(new URL(first.origin).port);
  const bytes = makeLargeGlb(3 * MB);
  const stopped = Promise.withResolvers<void>();
  const sending = uploadWithTusClient({ ...first, origin: proxy.origin }, bytes, {
    // Until a slow machine has started the service again.
    retryDelays: Array(1200).fill(50),
    chunkSize: MB,
    onChunkComplete: (_size, accepted) => {
      if (accepted > MB) return;
      proxy.targetPort = undefined;
      proxy.destroyConnections();
      stopped.resolve();
    },
  });
  await stopped.promise;
  await shutDownGracefully(first.app, 100);
  const { dataDirectory } = first;
  const second = await openTestServer(t, { listen: true, publicUrl: proxy.origin, dataDirectory });
  proxy.targetPort = Number(new URL(second.origin).port);
  const upload = await sending;
  assert.ok(proxy.forwardedBytes < 5 * MB, String(proxy.forwardedBytes));
  await assertDesignCreated(
    t,
    { ...second, token: first.token, origin: proxy.origin },
    upload,
    bytes,
  );
  await shutDownGracefully(second.app, 100);
});

test('204: an upload resumes after the database did not respond, and no other one is begun', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeLargeGlb(3 * MB);
  let failures = 0;
  const { acquireOrFind } = UploadLeases.prototype;
  t.mock.method(
    UploadLeases.prototype,
    'acquireOrFind',
    async function acquire(this: UploadLeases, id: string) {
      if (failures === 0) return acquireOrFind.call(this, id);
      failures -= 1;
      throw new Error('no connection');
    },
  );
  const upload = await uploadWithTusClient(service, bytes, {
    chunkSize: MB,
    onChunkComplete: (_size, accepted) => {
      if (accepted === MB) failures = 3;
    },
  });
  assert.deepEqual(upload.exchanges.slice(0, 7), [
    'POST 201',
    'PATCH 204',
    'PATCH 500',
    'HEAD 423',
    'HEAD 423',
    'HEAD 200',
    'PATCH 204',
  ]);
  await assertDesignCreated(t, service, upload, bytes);
});

test('422: the SHA-256 differs from the one in the metadata; HEAD repeats the problem', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = makeBox();
  const wrong = { sha256: sha256(Buffer.from('another')) };
  const { error, exchanges, url } = await uploadWithTusClient(service, bytes, { metadata: wrong });
  assert.deepEqual(exchanges, ['POST 201', 'PATCH 422']);
  assert.equal(JSON.parse(error?.originalResponse?.getBody() ?? '').code, 'design.checksum');
  assert.deepEqual((await sendRequest(service, 'GET', '/v1/designs')).json().items, []);
  assert.deepEqual(await listStoredUploads(t, service), ['metadata']);

  const { pathname } = new URL(url);
  const head = await sendRequest(service, 'HEAD', pathname, undefined, {
    'tus-resumable': '1.0.0',
  });
  assert.equal(head.statusCode, 422);

  const right = { sha256: sha256(bytes).toUpperCase() };
  assert.equal((await uploadWithTusClient(service, bytes, { metadata: right })).error, undefined);
});

test('204: an upload revises a design, with a token limited to that design', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const design = await uploadTestDesign(service);
  const tokenRequest = { capabilities: ['write'], origins: [], designs: [design.id] };
  const { token } = await issueToken(service, tokenRequest);
  const options = { metadata: { design: design.uri } };
  const upload = await uploadWithTusClient({ ...service, token }, makeBox({ size: 2 }), options);
  assert.equal(upload.error?.message, undefined);
  assert.equal(upload.designUri, design.uri);
  const { items } = (
    await sendRequest(service, 'GET', `/v1/designs/${design.id}/revisions`)
  ).json();
  assert.deepEqual(
    items.map((revision: { number: number }) => revision.number),
    [2, 1],
  );
});
