import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { Token } from '@cloche/contract/token';
import { makeGlb, makeUnpackedBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { fetchFramedDocument } from '../../testing/design-requests.ts';
import { openTestServer } from '../../testing/harness.ts';
import { listOpenFiles } from '../../testing/open-files.ts';
import { readUsage } from '../../testing/read-usage.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';

/** More than a socket takes: a response is not finished before its client reads. */
const SIZE_BYTES = 7_000_000;

function makeLargeModel(): Buffer {
  const { json, bin } = makeUnpackedBox();
  const padding = randomBytes(SIZE_BYTES);
  json.buffers = [{ byteLength: bin.length + padding.length }];
  return makeGlb({ json, bin: Buffer.concat([bin, padding]) });
}

async function openLargeAsset(t: TestContext) {
  const service = await openTestServer(t, { listen: true });
  const model = makeLargeModel();
  const design = await uploadTestDesign(service, 'chair', model);
  const { viewerConfig } = await fetchFramedDocument(service, design.id);
  const { host, port } = new URL(service.origin);
  /** Sends a request, and returns the response without reading its body. */
  const load = async (headers: Record<string, string> = {}, method = 'GET') => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path: viewerConfig.model.url,
      headers: { host, 'cloche-grant': viewerConfig.grant, ...headers },
      agent: false,
    });
    t.after(() => outgoing.destroy());
    const [response] = (await once(outgoing.end(), 'response')) as [IncomingMessage];
    // An aborted response is expected.
    response.on('error', () => undefined);
    return response;
  };
  const listOpenBlobs = () => listOpenFiles(join(service.dataDirectory, 'blobs'));
  const readBytes = async () => {
    const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
    const { id } = items.find((token: Token) => token.capabilities.length === 1);
    const [usage] = await readUsage(service, id, 'by=origin');
    return usage?.bytes ?? 0;
  };
  return { model, load, listOpenBlobs, readBytes };
}

test('200, 206, 304 and 416: a model that is not read into memory', async (t) => {
  const { model, load, listOpenBlobs } = await openLargeAsset(t);
  const whole = await load({ 'accept-encoding': 'br' });
  assert.equal(whole.headers['content-encoding'], undefined, 'it cannot be compressed');
  assert.equal(whole.headers['content-length'], String(model.length));
  assert.deepEqual(await buffer(whole), model);

  const part = await load({ range: 'bytes=1000000-3000000' });
  assert.equal(part.statusCode, 206);
  assert.equal(part.headers['content-length'], '2000001');
  assert.deepEqual(await buffer(part), model.subarray(1_000_000, 3_000_001));
  const end = await load({ range: 'bytes=-5' });
  assert.deepEqual(await buffer(end), model.subarray(-5));
  assert.equal((await load({ range: 'bytes=99999999-' })).statusCode, 416);

  const unchanged = await load({ 'if-none-match': `${whole.headers.etag}` });
  assert.equal(unchanged.statusCode, 304);
  const head = await load({}, 'HEAD');
  assert.equal(head.headers['content-length'], String(model.length));
  assert.equal((await buffer(head)).length, 0);
  await waitUntil('all files are closed', async () => (await listOpenBlobs()).length === 0);
});

test('stalled readers do not delay others; their files are closed when they leave', async (t) => {
  const { model, load, listOpenBlobs } = await openLargeAsset(t);
  const stalled = await Promise.all(Array.from({ length: 20 }, () => load()));
  assert.equal((await listOpenBlobs()).length, 20);
  assert.deepEqual(await buffer(await load()), model);
  const [patient, ...aborted] = stalled;
  for (const response of aborted) response.destroy();
  assert.deepEqual(await buffer(patient ?? assert.fail()), model, 'it reads on after a pause');
  await waitUntil('all files are closed', async () => (await listOpenBlobs()).length === 0);
});

test('the bytes of usage are those that were sent, also if the client goes away before the end', async (t) => {
  const { model, load, readBytes } = await openLargeAsset(t);
  const whole = await load();
  await buffer(whole);
  await waitUntil('the whole model', async () => (await readBytes()) > 0);
  assert.equal(await readBytes(), model.length);
  const aborted = await load();
  await once(aborted, 'readable');
  aborted.destroy();
  await waitUntil('the aborted response', async () => (await readBytes()) > model.length);
  const sent = (await readBytes()) - model.length;
  assert.ok(sent > 1000 && sent < model.length, `${sent} of ${model.length} bytes`);
});
