import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openService } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask, type Caller, issue, upload } from '../../testing/requests.ts';
import {
  assertProblem,
  begin,
  kept,
  look,
  metadata,
  PIECE,
  piece,
  TUS,
} from '../../testing/tus.ts';

const BOX = makeBox();

const create = (service: Caller, headers: Record<string, string>) =>
  ask(service, 'POST', '/v1/uploads', undefined, { ...TUS, 'upload-length': '8', ...headers });

describe('POST /v1/uploads', () => {
  const wishes: [string, Record<string, string>, number, string][] = [
    ['another version', { 'tus-resumable': '0.2.2' }, 412, 'upload.version'],
    ['a length that is no number', { 'upload-length': '08' }, 400, 'request.invalid'],
    ['two lengths', { 'upload-defer-length': '1' }, 400, 'request.invalid'],
    ['more than is allowed', { 'upload-length': '8388609' }, 413, 'design.too-large'],
    ['parallel parts', { 'upload-concat': 'partial' }, 400, 'request.invalid'],
    ['a checksum of a piece', { 'upload-checksum': 'sha1 x' }, 400, 'request.invalid'],
    ['metadata that is none', { 'upload-metadata': 'name !' }, 400, 'request.invalid'],
    ['an unknown key', metadata({ colour: 'red' }), 400, 'request.invalid'],
    ['an inherited key', metadata({ constructor: 'red' }), 400, 'request.invalid'],
    ['an empty name', metadata({ name: '' }), 400, 'request.invalid'],
    ['a long name', metadata({ name: 'a'.repeat(201) }), 400, 'request.invalid'],
    ['half a SHA-256', metadata({ sha256: 'a'.repeat(32) }), 400, 'request.invalid'],
    ['no design', metadata({ design: 'chair' }), 400, 'request.invalid'],
    [
      'an unknown design',
      metadata({ design: '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55' }),
      404,
      'design.unknown',
    ],
  ];
  it('400, 404, 412, 413: what cannot be; nothing is begun', async (t) => {
    const service = await openService(t);
    for (const [what, headers, status, code] of wishes) {
      await t.test(`${status}: ${what}`, async () => {
        assertProblem(await create(service, headers), status, code);
        assert.deepEqual(await kept(service), []);
      });
    }
  });

  it('400: no length at all', async (t) => {
    const service = await openService(t);
    const answer = await ask(service, 'POST', '/v1/uploads', undefined, TUS);
    assertProblem(answer, 400, 'request.invalid');
    assert.equal(answer.json().field, 'header.upload-length');
  });

  it('415: bytes that come as something else', async (t) => {
    const service = await openService(t);
    const headers = { ...TUS, 'upload-length': '8' };
    assertProblem(
      await ask(service, 'POST', '/v1/uploads', { name: 'a' }, headers),
      415,
      'request.media-type',
    );
  });

  it('403: a token for some designs begins none', async (t) => {
    const service = await openService(t);
    const design = await upload(service);
    const wish = { capabilities: ['write'], origins: [], designs: [design.id] };
    const narrow = { ...service, ...(await issue(service, wish)) };
    assertProblem(await create(narrow, {}), 403, 'token.design');
  });

  it('201: what Uppy sends by itself; the name of a file is not yet a name', async (t) => {
    const service = await openService(t);
    const file = { filename: 'Oak chair.glb', name: 'Oak chair.glb', relativePath: 'null' };
    const pairs = { ...file, type: 'model/gltf-binary', filetype: 'model/gltf-binary' };
    const path = await begin(service, BOX.length, metadata(pairs));
    const { headers } = await piece(service, path, BOX);
    const id = String(headers['cloche-design']).slice('cloche:design:'.length);
    assert.equal((await ask(service, 'GET', `/v1/designs/${id}`)).json().name, 'Oak chair');
    assert.equal(
      (await look(service, path)).headers['upload-metadata'],
      metadata(pairs)['upload-metadata'],
    );
  });

  it('503: a hundred of one user that are not finished', async (t) => {
    const service = await openService(t);
    const paths = await Promise.all(Array.from({ length: 100 }, () => begin(service, 8)));
    assertProblem(await create(service, {}), 503, 'server.busy');
    await ask(service, 'DELETE', String(paths[0]), undefined, TUS);
    assert.equal((await create(service, {})).statusCode, 201);
  });

  it('503: too many files wait already', async (t) => {
    const service = await openService(t, { workshop: { queue: 0 } });
    assertProblem(await create(service, {}), 503, 'server.busy');
  });

  it('422: nothing is left of bytes that came along and are no model', async (t) => {
    const service = await openService(t);
    const headers = { ...PIECE, 'upload-length': '4' };
    const answer = await ask(service, 'POST', '/v1/uploads', Buffer.from('abcd'), headers);
    assertProblem(answer, 422, 'design.unsupported');
    assertProblem(await create(service, { 'upload-length': '0' }), 422, 'design.unreadable');
    assert.deepEqual(await kept(service), []);
  });
});
