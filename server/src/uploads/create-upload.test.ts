import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import {
  issueToken,
  sendRequest,
  type TestClient,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import {
  assertTusProblem,
  createUpload,
  headUpload,
  listStoredUploads,
  patchUpload,
  TUS_HEADERS,
  TUS_PATCH_HEADERS,
  uploadMetadataHeader,
} from '../../testing/tus-requests.ts';

const MODEL = makeBox();

const postUpload = (service: TestClient, headers: Record<string, string>) =>
  sendRequest(service, 'POST', '/v1/uploads', undefined, {
    ...TUS_HEADERS,
    'upload-length': '8',
    ...headers,
  });

async function createUploads(service: TestClient, count: number): Promise<string[]> {
  const paths: string[] = [];
  // One after the other: on a busy machine, PostgreSQL would not do all of them within the time that the service gives it.
  while (paths.length < count) paths.push(await createUpload(service, 8));
  return paths;
}

describe('POST /v1/uploads', () => {
  const invalidRequests: [
    name: string,
    headers: Record<string, string>,
    status: number,
    code: string,
  ][] = [
    ['another protocol version', { 'tus-resumable': '0.2.2' }, 412, 'upload.version'],
    ['an invalid Upload-Length', { 'upload-length': '08' }, 400, 'request.invalid'],
    [
      'Upload-Length and Upload-Defer-Length',
      { 'upload-defer-length': '1' },
      400,
      'request.invalid',
    ],
    ['an Upload-Length over the limit', { 'upload-length': '8388609' }, 413, 'design.too-large'],
    ['concatenation', { 'upload-concat': 'partial' }, 400, 'request.invalid'],
    ['a chunk checksum', { 'upload-checksum': 'sha1 x' }, 400, 'request.invalid'],
    ['malformed metadata', { 'upload-metadata': 'name !' }, 400, 'request.invalid'],
    ['an unknown key', uploadMetadataHeader({ color: 'red' }), 400, 'request.invalid'],
    [
      'a key that is a property of Object.prototype',
      uploadMetadataHeader({ constructor: 'red' }),
      400,
      'request.invalid',
    ],
    ['an empty name', uploadMetadataHeader({ name: '' }), 400, 'request.invalid'],
    [
      'a name of 201 characters',
      uploadMetadataHeader({ name: 'a'.repeat(201) }),
      400,
      'request.invalid',
    ],
    [
      'a truncated SHA-256',
      uploadMetadataHeader({ sha256: 'a'.repeat(32) }),
      400,
      'request.invalid',
    ],
    ['an invalid design id', uploadMetadataHeader({ design: 'chair' }), 400, 'request.invalid'],
    [
      'an unknown design',
      uploadMetadataHeader({ design: UNKNOWN_DESIGN_ID }),
      404,
      'design.unknown',
    ],
  ];
  it('400, 404, 412, 413: invalid headers; no upload is created', async (t) => {
    const service = await openTestServer(t);
    for (const [name, headers, status, code] of invalidRequests) {
      await t.test(`${status}: ${name}`, async () => {
        assertTusProblem(await postUpload(service, headers), status, code);
        assert.deepEqual(await listStoredUploads(t, service), []);
      });
    }
  });

  it('400: neither Upload-Length nor Upload-Defer-Length', async (t) => {
    const service = await openTestServer(t);
    const response = await sendRequest(service, 'POST', '/v1/uploads', undefined, TUS_HEADERS);
    assertTusProblem(response, 400, 'request.invalid');
    assert.equal(response.json().field, 'header.upload-length');
  });

  it('415: a body of another media type', async (t) => {
    const service = await openTestServer(t);
    const headers = { ...TUS_HEADERS, 'upload-length': '8' };
    assertTusProblem(
      await sendRequest(service, 'POST', '/v1/uploads', { name: 'a' }, headers),
      415,
      'request.media-type',
    );
  });

  it('403: a token limited to some designs cannot create uploads for new designs', async (t) => {
    const service = await openTestServer(t);
    const design = await uploadTestDesign(service);
    const tokenRequest = { capabilities: ['write'], origins: [], designs: [design.id] };
    const limited = { ...service, ...(await issueToken(service, tokenRequest)) };
    assertTusProblem(await postUpload(limited, {}), 403, 'token.design');
  });

  it('201: the metadata of Uppy; a name equal to the file name loses its extension', async (t) => {
    const service = await openTestServer(t);
    const file = { filename: 'Oak chair.glb', name: 'Oak chair.glb', relativePath: 'null' };
    const pairs = { ...file, type: 'model/gltf-binary', filetype: 'model/gltf-binary' };
    const path = await createUpload(service, MODEL.length, uploadMetadataHeader(pairs));
    const { headers } = await patchUpload(service, path, MODEL);
    const id = String(headers['cloche-design']).slice('cloche:design:'.length);
    assert.equal((await sendRequest(service, 'GET', `/v1/designs/${id}`)).json().name, 'Oak chair');
    assert.equal(
      (await headUpload(service, path)).headers['upload-metadata'],
      uploadMetadataHeader(pairs)['upload-metadata'],
    );
  });

  it('503: a user with 100 incomplete uploads', async (t) => {
    const service = await openTestServer(t);
    const paths = await createUploads(service, 100);
    assertTusProblem(await postUpload(service, {}), 503, 'server.busy');
    await sendRequest(service, 'DELETE', String(paths[0]), undefined, TUS_HEADERS);
    assert.equal((await postUpload(service, {})).statusCode, 201);
  });

  it('201: of 100 incomplete uploads, those that have expired do not count', async (t) => {
    const service = await openTestServer(t);
    await createUploads(service, 100);
    service.advanceTime(24 * 60 * 60 * 1000);
    assert.equal((await postUpload(service, {})).statusCode, 201);
  });

  it('503: the processing queue is full', async (t) => {
    const service = await openTestServer(t, { processing: { maxQueuedJobs: 0 } });
    assertTusProblem(await postUpload(service, {}), 503, 'server.busy');
  });

  it('422: creation with a complete file that is not a model; nothing is stored', async (t) => {
    const service = await openTestServer(t);
    const headers = { ...TUS_PATCH_HEADERS, 'upload-length': '4' };
    const response = await sendRequest(
      service,
      'POST',
      '/v1/uploads',
      Buffer.from('abcd'),
      headers,
    );
    assertTusProblem(response, 422, 'design.unsupported');
    assertTusProblem(await postUpload(service, { 'upload-length': '0' }), 422, 'design.unreadable');
    assert.deepEqual(await listStoredUploads(t, service), []);
  });
});
