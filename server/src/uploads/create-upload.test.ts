import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import {
  issueToken,
  sendRequest,
  type TestClient,
  uploadTestDesign,
} from '../../testing/requests.ts';
import {
  assertTusProblem,
  createUpload,
  headUpload,
  listUploadDirectory,
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

describe('POST /v1/uploads', () => {
  const wishes: [string, Record<string, string>, number, string][] = [
    ['another version', { 'tus-resumable': '0.2.2' }, 412, 'upload.version'],
    ['a length that is no number', { 'upload-length': '08' }, 400, 'request.invalid'],
    ['two lengths', { 'upload-defer-length': '1' }, 400, 'request.invalid'],
    ['more than is allowed', { 'upload-length': '8388609' }, 413, 'design.too-large'],
    ['parallel parts', { 'upload-concat': 'partial' }, 400, 'request.invalid'],
    ['a checksum of a piece', { 'upload-checksum': 'sha1 x' }, 400, 'request.invalid'],
    ['metadata that is none', { 'upload-metadata': 'name !' }, 400, 'request.invalid'],
    ['an unknown key', uploadMetadataHeader({ colour: 'red' }), 400, 'request.invalid'],
    ['an inherited key', uploadMetadataHeader({ constructor: 'red' }), 400, 'request.invalid'],
    ['an empty name', uploadMetadataHeader({ name: '' }), 400, 'request.invalid'],
    ['a long name', uploadMetadataHeader({ name: 'a'.repeat(201) }), 400, 'request.invalid'],
    ['half a SHA-256', uploadMetadataHeader({ sha256: 'a'.repeat(32) }), 400, 'request.invalid'],
    ['no design', uploadMetadataHeader({ design: 'chair' }), 400, 'request.invalid'],
    [
      'an unknown design',
      uploadMetadataHeader({ design: '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55' }),
      404,
      'design.unknown',
    ],
  ];
  it('400, 404, 412, 413: what cannot be; nothing is begun', async (t) => {
    const service = await openTestServer(t);
    for (const [what, headers, status, code] of wishes) {
      await t.test(`${status}: ${what}`, async () => {
        assertTusProblem(await postUpload(service, headers), status, code);
        assert.deepEqual(await listUploadDirectory(service), []);
      });
    }
  });

  it('400: no length at all', async (t) => {
    const service = await openTestServer(t);
    const answer = await sendRequest(service, 'POST', '/v1/uploads', undefined, TUS_HEADERS);
    assertTusProblem(answer, 400, 'request.invalid');
    assert.equal(answer.json().field, 'header.upload-length');
  });

  it('415: bytes that come as something else', async (t) => {
    const service = await openTestServer(t);
    const headers = { ...TUS_HEADERS, 'upload-length': '8' };
    assertTusProblem(
      await sendRequest(service, 'POST', '/v1/uploads', { name: 'a' }, headers),
      415,
      'request.media-type',
    );
  });

  it('403: a token for some designs begins none', async (t) => {
    const service = await openTestServer(t);
    const design = await uploadTestDesign(service);
    const wish = { capabilities: ['write'], origins: [], designs: [design.id] };
    const narrow = { ...service, ...(await issueToken(service, wish)) };
    assertTusProblem(await postUpload(narrow, {}), 403, 'token.design');
  });

  it('201: what Uppy sends by itself; the name of a file is not yet a name', async (t) => {
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

  it('503: a hundred of one user that are not finished', async (t) => {
    const service = await openTestServer(t);
    const paths = await Promise.all(Array.from({ length: 100 }, () => createUpload(service, 8)));
    assertTusProblem(await postUpload(service, {}), 503, 'server.busy');
    await sendRequest(service, 'DELETE', String(paths[0]), undefined, TUS_HEADERS);
    assert.equal((await postUpload(service, {})).statusCode, 201);
  });

  it('503: too many files wait already', async (t) => {
    const service = await openTestServer(t, { processing: { maxQueuedJobs: 0 } });
    assertTusProblem(await postUpload(service, {}), 503, 'server.busy');
  });

  it('422: nothing is left of bytes that came along and are no model', async (t) => {
    const service = await openTestServer(t);
    const headers = { ...TUS_PATCH_HEADERS, 'upload-length': '4' };
    const answer = await sendRequest(service, 'POST', '/v1/uploads', Buffer.from('abcd'), headers);
    assertTusProblem(answer, 422, 'design.unsupported');
    assertTusProblem(await postUpload(service, { 'upload-length': '0' }), 422, 'design.unreadable');
    assert.deepEqual(await listUploadDirectory(service), []);
  });
});
