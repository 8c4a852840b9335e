import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { fetchFramedDocument } from '../../testing/design-requests.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { HOST_HEADER, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

/** A model that compresses well. */
const MODEL = makeBox({ name: 'leg '.repeat(5000) });

async function openEmbed(t: TestContext) {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service, 'chair', MODEL);
  return { ...(await openFramedDocument(service, design)), service, design };
}

async function openFramedDocument(service: TestServer, design: Design) {
  const { viewerConfig } = await fetchFramedDocument(service, design.id);
  const { model, grant } = viewerConfig ?? assert.fail();
  const load = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
    service.app.inject({
      method,
      url: model.url,
      headers: { ...HOST_HEADER, 'cloche-grant': grant, ...headers },
    });
  return { model, load };
}

test('200: the compressed model, if the client accepts it', async (t) => {
  const { load, model } = await openEmbed(t);
  assert.equal(model.bytes, MODEL.length, 'the viewer counts uncompressed bytes');
  const cases: [acceptEncoding: string | undefined, isCompressed: boolean][] = [
    ['gzip, deflate, br, zstd', true],
    ['br', true],
    ['br;q=0.1, gzip', true],
    ['*', true],
    [undefined, false],
    ['', false],
    ['gzip', false],
    ['identity', false],
    ['br;q=0', false],
    ['abracadabra', false],
  ];
  for (const [acceptEncoding, isCompressed] of cases) {
    const accept = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
    const { statusCode, headers, rawPayload } = await load(accept);
    assert.equal(statusCode, 200);
    const body = isCompressed ? brotliDecompressSync(rawPayload) : rawPayload;
    assert.deepEqual(body, MODEL, acceptEncoding);
    assert.equal(headers['content-encoding'], isCompressed ? 'br' : undefined, acceptEncoding);
    assert.equal(headers['content-length'], String(rawPayload.length));
    assert.equal(headers['content-type'], 'model/gltf-binary');
    assert.equal(headers.vary, 'accept-encoding');
    const hash = createHash('sha256').update(rawPayload).digest('hex');
    assert.equal(headers.etag, `"${hash}"`, 'each encoding has its own ETag');
  }
});

test('304: only for the ETag of the accepted encoding', async (t) => {
  const { load } = await openEmbed(t);
  const br = { 'accept-encoding': 'br' };
  const compressed = `${(await load(br)).headers.etag}`;
  const identity = `${(await load({})).headers.etag}`;
  assert.notEqual(compressed, identity);
  const cases: [headers: Record<string, string>, etag: string, status: number][] = [
    [br, compressed, 304],
    [br, `"x", ${compressed}`, 304],
    [br, identity, 200],
    [{}, identity, 304],
    [{}, compressed, 200],
  ];
  for (const [headers, etag, status] of cases) {
    const response = await load({ ...headers, 'if-none-match': etag });
    assert.equal(response.statusCode, status);
    assert.equal(response.headers.vary, 'accept-encoding');
    assert.equal(response.headers.etag, 'accept-encoding' in headers ? compressed : identity);
  }
});

test('206: ranges are those of the uncompressed model; HEAD describes what GET sends', async (t) => {
  const { load } = await openEmbed(t);
  const br = { 'accept-encoding': 'br' };
  const compressed = await load(br);
  const part = await load({ ...br, range: 'bytes=4-7' });
  assert.equal(part.statusCode, 206);
  assert.equal(part.headers['content-encoding'], undefined);
  assert.equal(part.headers['content-range'], `bytes 4-7/${MODEL.length}`);
  assert.equal(part.headers.vary, 'accept-encoding');
  assert.deepEqual(part.rawPayload, MODEL.subarray(4, 8));
  // The ETag of the compressed model does not allow to continue with bytes of the other one.
  const other = { ...br, range: 'bytes=4-7', 'if-range': `${compressed.headers.etag}` };
  assert.deepEqual((await load(other)).rawPayload, MODEL);

  const head = await load(br, 'HEAD');
  assert.equal(head.body, '');
  const { date: _, ...headHeaders } = head.headers;
  const { date: __, ...headers } = compressed.headers;
  assert.deepEqual(headHeaders, headers);
});

test('200: a revision from before artifacts were compressed', async (t) => {
  const { service: before, design } = await openEmbed(t);
  await connectToServerDatabase(t, before).exec(
    'UPDATE artifact SET brotli_blob = NULL, brotli_size_bytes = NULL',
  );
  // A new server, because the other one has the revision in memory.
  const { dataDirectory, token } = before;
  const service = { ...(await openTestServer(t, { dataDirectory })), token };
  const { load } = await openFramedDocument(service, design);
  const response = await load({ 'accept-encoding': 'br' });
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-encoding'], undefined);
  assert.deepEqual(response.rawPayload, MODEL);
});
