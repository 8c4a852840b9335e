import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { createUpload, patchUpload, uploadMetadataHeader } from '../../testing/tus-requests.ts';

const FIELDS = {
  name: 'Oak chair',
  description: 'Solid.\nOiled.',
  tags: ['chair', 'Eiche 🌳'],
  externalId: 'SKU/4711 ä',
  metadata: { collection: 'autumn', __proto__2: '', 'a.b': '😀' },
  maxTriangles: 500_000,
  maxTextureSize: 4096,
  shared: true,
  viewer: { cameraOrbit: '30deg 75deg 105%', autoRotate: true, exposure: 1.5, title: 'Chair 🪑' },
};
const TEXTS: Record<string, string> = {
  ...FIELDS,
  tags: JSON.stringify(FIELDS.tags),
  metadata: JSON.stringify(FIELDS.metadata),
  viewer: JSON.stringify(FIELDS.viewer),
  maxTriangles: '500000',
  maxTextureSize: '4096',
  shared: 'true',
};

const pickFields = (design: Design) => {
  const { name, description, tags, externalId, metadata, shared, viewer } = design;
  const { maxTriangles, maxTextureSize } = design;
  return {
    name,
    description,
    tags,
    externalId,
    metadata,
    maxTriangles,
    maxTextureSize,
    shared,
    viewer,
  };
};

const toQuery = (fields: Record<string, string>) => `/v1/designs?${new URLSearchParams(fields)}`;

function encodeForm(texts: Record<string, string>) {
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.append(name, text);
  form.append('file', new Blob([makeBox()]), 'chair.glb');
  return new Response(form);
}

async function postForm(service: TestServer, texts: Record<string, string>) {
  const form = encodeForm(texts);
  const headers = { 'content-type': form.headers.get('content-type') ?? '' };
  const body = Buffer.from(await form.arrayBuffer());
  return sendRequest(service, 'POST', '/v1/designs', body, headers);
}

test('201: the fields of a new design, in a query, a form, and Upload-Metadata', async (t) => {
  for (const kind of ['query', 'form', 'tus']) {
    const service = await openTestServer(t);
    if (kind === 'query')
      await sendRequest(service, 'POST', toQuery(TEXTS), makeBox(), GLB_HEADERS);
    if (kind === 'form') await postForm(service, TEXTS);
    if (kind === 'tus') {
      const model = makeBox();
      const path = await createUpload(service, model.length, uploadMetadataHeader(TEXTS));
      await patchUpload(service, path, model);
    }
    const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
    assert.deepEqual(items.map(pickFields), [FIELDS], kind);
  }
});

test('200: PATCH replaces the fields, and null removes external id, limits of the model and options', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const patch = (body: object) => sendRequest(service, 'PATCH', `/v1/designs/${id}`, body);
  assert.deepEqual(pickFields((await patch(FIELDS)).json()), FIELDS);
  const kept = (await patch({ metadata: { a: '1' } })).json();
  assert.deepEqual(pickFields(kept), { ...FIELDS, metadata: { a: '1' } });
  const clearing = {
    tags: [],
    externalId: null,
    metadata: {},
    maxTriangles: null,
    maxTextureSize: null,
    shared: false,
    viewer: null,
  };
  const cleared = { ...FIELDS, ...clearing, viewer: {} };
  assert.deepEqual(pickFields((await patch(clearing)).json()), cleared);
  assert.deepEqual((await patch({ viewer: FIELDS.viewer })).json().viewer, FIELDS.viewer);
  const viewer = { theme: 'dark', background: '#FAB', controls: 'help zoom' };
  const normalized = { background: '#ffaabb', theme: 'dark', controls: 'zoom help' };
  assert.deepEqual((await patch({ viewer })).json().viewer, normalized, 'replaced as a whole');
  assert.deepEqual((await patch({ name: 'Chair' })).json().viewer, normalized, 'kept');
});

const invalidFields: [reason: string, fields: Record<string, unknown>, field: string][] = [
  ['21 tags', { tags: Array.from({ length: 21 }, (_, index) => `${index}`) }, 'tags'],
  ['the same tag twice', { tags: ['a', 'a'] }, 'tags'],
  ['an empty tag', { tags: ['a', ''] }, 'tags[1]'],
  ['a tag of 61 characters', { tags: ['a'.repeat(61)] }, 'tags[0]'],
  ['a tag with a line break', { tags: ['a\nb'] }, 'tags[0]'],
  ['a number as tag', { tags: [1] }, 'tags[0]'],
  ['tags that are no array', { tags: { a: 'b' } }, 'tags'],
  ['an empty external id', { externalId: '' }, 'externalId'],
  ['an external id of 201 characters', { externalId: 'a'.repeat(201) }, 'externalId'],
  ['an external id with a control character', { externalId: 'a\u202eb' }, 'externalId'],
  [
    '51 pairs',
    { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`${index}`, ''])) },
    'metadata',
  ],
  ['a number as a value', { metadata: { a: 1 } }, 'metadata.a'],
  ['a nested object', { metadata: { a: {} } }, 'metadata.a'],
  ['a value of 501 characters', { metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
  ['an empty key', { metadata: { '': 'x' } }, 'metadata.'],
  [
    'a key of 61 characters',
    { metadata: { ['k'.repeat(61)]: 'x' } },
    `metadata.${'k'.repeat(59)}…`,
  ],
  ['metadata that is an array', { metadata: [] }, 'metadata'],
  ['an unknown option', { viewer: { cameraOrbitt: 'auto' } }, 'viewer.cameraOrbitt'],
  ['an invalid orbit', { viewer: { cameraOrbit: '1deg 2deg 3m 4m' } }, 'viewer.cameraOrbit'],
  ['an invalid choice', { viewer: { theme: 'drak' } }, 'viewer.theme'],
  ['a boolean as text', { viewer: { autoRotate: 'true' } }, 'viewer.autoRotate'],
  ['a number that is too large', { viewer: { exposure: 9 } }, 'viewer.exposure'],
  ['a color with a style', { viewer: { background: '#fff;x:y' } }, 'viewer.background'],
  ['a title of two lines', { viewer: { title: 'a\nb' } }, 'viewer.title'],
  ['an option that is null', { viewer: { title: null } }, 'viewer.title'],
  ['options that are a list', { viewer: [] }, 'viewer'],
  ['a budget of 999 triangles', { maxTriangles: 999 }, 'maxTriangles'],
  ['a budget of 50,000,001 triangles', { maxTriangles: 50_000_001 }, 'maxTriangles'],
  ['a budget that is no whole number', { maxTriangles: 5000.5 }, 'maxTriangles'],
  ['a budget that is a list', { maxTriangles: [5000] }, 'maxTriangles'],
  ['a texture size between two levels', { maxTextureSize: 3000 }, 'maxTextureSize'],
  ['a texture size above all levels', { maxTextureSize: 8192 }, 'maxTextureSize'],
  ['a texture size with a unit', { maxTextureSize: '4096px' }, 'maxTextureSize'],
  ['a texture size that is a list', { maxTextureSize: [4096] }, 'maxTextureSize'],
  ['shared with some', { shared: 'shop.example' }, 'shared'],
  ['shared as a number', { shared: 1 }, 'shared'],
];

test('400: a texture size that is not offered, with those that are', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const body = { maxTextureSize: 3000 };
  const response = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, body);
  assert.equal(response.statusCode, 400);
  assert.equal(
    response.json().detail,
    'maxTextureSize: must be one of 512, 1024, 2048, 4096, not 3000. Example: 4096.',
  );
});

test('400: a number in an unusual spelling, in a query', async (t) => {
  const service = await openTestServer(t);
  for (const maxTriangles of ['1e6', '5000.0', '05000', '"5000"', '']) {
    const url = toQuery({ maxTriangles });
    const response = await sendRequest(service, 'POST', url, makeBox(), GLB_HEADERS);
    assert.equal(response.statusCode, 400, maxTriangles);
    assert.equal(response.json().field, 'query.maxTriangles');
  }
});

test('400: invalid fields, in PATCH, a query, a form and Upload-Metadata', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  for (const [reason, fields, field] of invalidFields) {
    const patched = await sendRequest(service, 'PATCH', `/v1/designs/${design.id}`, fields);
    assert.equal(patched.statusCode, 400, `${reason}: ${patched.body}`);
    assert.equal(patched.json().field, field, reason);
    const texts = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
    const query = await sendRequest(service, 'POST', toQuery(texts), makeBox(), GLB_HEADERS);
    assert.equal(query.statusCode, 400, reason);
    assert.equal(query.json().field, `query.${field}`, reason);
    const form = await postForm(service, texts);
    assert.equal(form.statusCode, 400, reason);
    assert.equal(form.json().field, field, reason);
    await assert.rejects(
      createUpload(service, 8, uploadMetadataHeader(texts)),
      (error: Error) => JSON.parse(error.message).field === `header.upload-metadata.${field}`,
      reason,
    );
  }
  assert.equal((await sendRequest(service, 'GET', '/v1/designs')).json().items.length, 1);
});

test('400: texts that are not JSON, and duplicate keys in them', async (t) => {
  const service = await openTestServer(t);
  const cases: [texts: Record<string, string>, field: string, code: string][] = [
    [{ tags: 'chair, oak' }, 'query.tags', 'request.invalid'],
    [{ metadata: '{"a":"1","a":"2"}' }, 'query.metadata.a', 'request.duplicate-key'],
    [{ viewer: 'dark' }, 'query.viewer', 'request.invalid'],
    [{ viewer: '{"theme":"dark","theme":"light"}' }, 'query.viewer.theme', 'request.duplicate-key'],
    [{ metadata: '['.repeat(40) }, 'query.metadata', 'request.invalid'],
  ];
  for (const [texts, field, code] of cases) {
    const response = await sendRequest(service, 'POST', toQuery(texts), makeBox(), GLB_HEADERS);
    assert.equal(response.statusCode, 400, response.body);
    assert.equal(response.json().field, field);
    assert.equal(response.json().code, code);
  }
});

test('400: Upload-Metadata of a new revision has no fields of a new design', async (t) => {
  const service = await openTestServer(t);
  const { id: design } = await uploadTestDesign(service);
  const headers = uploadMetadataHeader({ design, externalId: 'a' });
  await assert.rejects(createUpload(service, 8, headers), /PATCH/);
  await createUpload(service, 8, uploadMetadataHeader({ design: design.toUpperCase(), name: 'x' }));
});

test('409: an external id is unique among the designs of a user', async (t) => {
  const service = await openTestServer(t);
  const url = '/v1/designs?externalId=SKU-1';
  const first = await sendRequest(service, 'POST', url, makeBox(), GLB_HEADERS);
  assert.equal(first.statusCode, 201);
  const other = await uploadTestDesign(service);
  const conflicts = [
    await sendRequest(service, 'POST', url, makeBox({ name: 'b' }), GLB_HEADERS),
    await sendRequest(service, 'PATCH', `/v1/designs/${other.id}`, { externalId: ' SKU-1 ' }),
  ];
  for (const response of conflicts) {
    assert.equal(response.statusCode, 409, response.body);
    assert.equal(response.json().code, 'design.external-id');
    assert.equal(response.json().field, 'externalId');
  }
  await assert.rejects(
    createUpload(service, 8, uploadMetadataHeader({ externalId: 'SKU-1' })),
    /design.external-id/,
  );
  const own = await sendRequest(service, 'PATCH', `/v1/designs/${first.json().id}`, {
    externalId: 'SKU-1',
    name: 'renamed',
  });
  assert.equal(own.statusCode, 200);
  assert.equal((await sendRequest(service, 'GET', '/v1/designs')).json().items.length, 2);
});

test('of ten designs with the same external id at the same time, one is created', async (t) => {
  const service = await openTestServer(t);
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const bytes = makeBox({ name: `${index}` });
      const url = '/v1/designs?externalId=SKU-1';
      return (await sendRequest(service, 'POST', url, bytes, GLB_HEADERS)).statusCode;
    }),
  );
  assert.deepEqual(statuses.sort(), [201, ...Array(9).fill(409)]);
});
