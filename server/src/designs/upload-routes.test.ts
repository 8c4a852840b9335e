import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';

type Part = { name: string; value: string | Buffer; file?: string };

const model = makeBox();
const filePart: Part = { name: 'file', value: model, file: 'chair.glb' };
const FORM_HEADERS = { 'content-type': 'multipart/form-data; boundary=seam' };

function encodeForm(parts: readonly Part[], end = '--seam--\r\n'): Buffer {
  const pieces = parts.flatMap(({ name, value, file }) => {
    const fileName = file === undefined ? '' : `; filename="${file}"`;
    const type = file === undefined ? '' : '\r\nContent-Type: model/gltf-binary';
    const head = `--seam\r\nContent-Disposition: form-data; name="${name}"${fileName}${type}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

const sendForm = (service: TestServer, parts: readonly Part[], query = '') =>
  sendRequest(service, 'POST', `/v1/designs${query}`, encodeForm(parts), FORM_HEADERS);

async function countDesigns(service: TestServer): Promise<number> {
  return (await sendRequest(service, 'GET', '/v1/designs?limit=200')).json().items.length;
}

/** Every test of a refusal ends with this: nothing was kept, nothing lies about. */
async function assertNothingLeft(service: TestServer): Promise<void> {
  assert.equal(await countDesigns(service), 0);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'drafts')), []);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'kept')), []);
}

test('201: the bytes as the body, of either type', async (t) => {
  const service = await openTestServer(t);
  for (const type of ['model/gltf-binary', 'application/octet-stream', 'MODEL/GLTF-BINARY']) {
    const answer = await sendRequest(service, 'POST', '/v1/designs', model, {
      'content-type': type,
    });
    assert.equal(answer.statusCode, 201, answer.body);
    const design = answer.json();
    assert.equal(answer.headers.location, `/v1/designs/${design.id}`);
    assert.equal(design.uri, `cloche:design:${design.id}`);
    assert.equal(design.name, 'Untitled');
    assert.equal(design.status, 'ready');
    assert.equal(design.revision, 1);
    assert.equal(design.stats.bytes, model.length);
    assert.equal(design.stats.triangles, 12);
    assert.deepEqual(
      (await sendRequest(service, 'GET', `/v1/designs/${design.id}`)).json(),
      design,
    );
  }
  assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'drafts')), []);
});

const nameCases: [why: string, parts: Part[], query: string, name: string][] = [
  ['the file alone', [filePart], '', 'chair'],
  ['a name before the file', [{ name: 'name', value: 'Oak chair' }, filePart], '', 'Oak chair'],
  ['a name after the file', [filePart, { name: 'name', value: 'Oak chair' }], '', 'Oak chair'],
  ['a name in the query too', [filePart, { name: 'name', value: 'a' }], '?name=b', 'b'],
  ['a name to trim', [filePart, { name: 'name', value: '  Stuhl ä ' }], '', 'Stuhl ä'],
  ['a name that looks like HTML', [filePart, { name: 'name', value: '"><b>' }], '', '"><b>'],
  ['a path of Unix', [{ ...filePart, file: '../../etc/passwd.glb' }], '', 'passwd'],
  [
    'a path of Windows',
    [{ ...filePart, file: 'C:\\\\models\\\\oak chair.v2.glb' }],
    '',
    'oak chair.v2',
  ],
  ['no name but an ending', [{ ...filePart, file: '.glb' }], '', 'Untitled'],
  ['an empty file name', [{ ...filePart, file: '' }], '', 'Untitled'],
  ['a turned file name', [{ ...filePart, file: 'a\u202egnp.glb' }], '', 'agnp'],
  [
    'a file name of chairs',
    [{ ...filePart, file: `${'🪑'.repeat(300)}.glb` }],
    '',
    '🪑'.repeat(200),
  ],
];

test('201: a form, and the name the design gets', async (t) => {
  const service = await openTestServer(t);
  for (const [why, parts, query, name] of nameCases) {
    await t.test(why, async () => {
      const answer = await sendForm(service, parts, query);
      assert.equal(answer.statusCode, 201, answer.body);
      assert.equal(answer.json().name, name);
      assert.equal(answer.json().stats.bytes, model.length);
    });
  }
});

const invalidForms: [why: string, body: Buffer, field: string][] = [
  ['no part', encodeForm([]), 'file'],
  ['no file', encodeForm([{ name: 'name', value: 'x' }]), 'file'],
  ['two files', encodeForm([filePart, filePart]), 'file'],
  ['a file of another name', encodeForm([{ ...filePart, name: 'model' }]), 'file'],
  ['a part nobody knows', encodeForm([filePart, { name: 'colour', value: 'red' }]), 'body'],
  ['a part nobody knows, first', encodeForm([{ name: 'colour', value: 'red' }, filePart]), 'body'],
  ['the file without a file name', encodeForm([{ name: 'file', value: 'x' }]), 'body'],
  ['a prototype', encodeForm([{ name: '__proto__', value: 'x' }, filePart]), 'body'],
  ['ten names', encodeForm([...Array(10).fill({ name: 'name', value: 'x' }), filePart]), 'body'],
  ['a blank name', encodeForm([{ name: 'name', value: ' ' }, filePart]), 'name'],
  ['a name of two lines', encodeForm([filePart, { name: 'name', value: 'a\nb' }]), 'name'],
  ['a turned name', encodeForm([filePart, { name: 'name', value: 'a\u202eb' }]), 'name'],
  ['a name of 201', encodeForm([filePart, { name: 'name', value: 'a'.repeat(201) }]), 'name'],
  ['a name of 9 kB', encodeForm([filePart, { name: 'name', value: 'a'.repeat(9000) }]), 'name'],
  ['no end', encodeForm([{ name: 'name', value: 'x' }], ''), 'body'],
  ['not a form at all', Buffer.from('hello'), 'body'],
  ['nothing', Buffer.alloc(0), 'file'],
];

test('400: a form that is not one file and perhaps a name', async (t) => {
  const service = await openTestServer(t);
  for (const [why, body, field] of invalidForms) {
    await t.test(why, async () => {
      const answer = await sendRequest(service, 'POST', '/v1/designs', body, FORM_HEADERS);
      assert.equal(answer.statusCode, 400, answer.body);
      assert.equal(answer.json().field, field, answer.body);
      assert.ok(answer.json().detail.startsWith(`${field}: `), answer.body);
    });
  }
  const noSeam = { 'content-type': 'multipart/form-data' };
  assert.equal(
    (await sendRequest(service, 'POST', '/v1/designs', encodeForm([filePart]), noSeam)).statusCode,
    400,
  );
  await assertNothingLeft(service);
});

test('400: a form that ends within its file', async (t) => {
  const service = await openTestServer(t);
  const cut = encodeForm([filePart]).subarray(0, 300);
  const answer = await sendRequest(service, 'POST', '/v1/designs', cut, FORM_HEADERS);
  assert.equal(answer.statusCode, 400, answer.body);
  await assertNothingLeft(service);
});

test('400: a name in the query is as strict as one in a form', async (t) => {
  const service = await openTestServer(t);
  const type = { 'content-type': 'model/gltf-binary' };
  for (const name of ['', '%20', '%0a', '%E2%80%AEx', 'a'.repeat(201), 'a&name=b']) {
    const answer = await sendRequest(service, 'POST', `/v1/designs?name=${name}`, model, type);
    assert.equal(answer.statusCode, 400, name);
    assert.equal(answer.json().field, 'query.name', answer.body);
  }
  const unknown = await sendRequest(service, 'POST', '/v1/designs?nmae=x', model, type);
  assert.equal(unknown.json().field, 'query.nmae');
  await assertNothingLeft(service);
});

test('400: a request without a body', async (t) => {
  const service = await openTestServer(t);
  const answer = await sendRequest(service, 'POST', '/v1/designs');
  assert.equal(answer.statusCode, 400, answer.body);
  assert.equal(answer.json().field, 'body');
  await assertNothingLeft(service);
});

test('415: what is not sent as a model is not read', async (t) => {
  const service = await openTestServer(t);
  for (const type of ['application/json', 'text/plain', 'model/vrml', 'image/png', '']) {
    const answer = await sendRequest(service, 'POST', '/v1/designs', model, {
      'content-type': type,
    });
    assert.equal(answer.statusCode, 415, type);
  }
  await assertNothingLeft(service);
});

const invalidFiles: [why: string, bytes: Buffer, code: string][] = [
  ['nothing', Buffer.alloc(0), 'design.unreadable'],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n0123456789abcdef', 'latin1'), 'design.unsupported'],
  ['half a model', model.subarray(0, model.length / 2), 'design.unreadable'],
];

test('422: a file that is no model leaves nothing', async (t) => {
  const service = await openTestServer(t);
  for (const [why, bytes, code] of invalidFiles) {
    for (const [body, type] of [
      [bytes, { 'content-type': 'model/gltf-binary' }],
      [encodeForm([{ ...filePart, value: bytes }]), FORM_HEADERS],
    ] as const) {
      const answer = await sendRequest(service, 'POST', '/v1/designs', body, type);
      assert.equal(answer.statusCode, 422, `${why}: ${answer.body}`);
      assert.equal(answer.json().code, code, why);
    }
  }
  await assertNothingLeft(service);
});

test('413: one byte more than allowed, in a body and in a form', async (t) => {
  const service = await openTestServer(t, { maxUploadBytes: model.length });
  assert.equal((await uploadTestDesign(service, 'fits', model)).stats?.bytes, model.length);
  assert.equal((await sendForm(service, [filePart])).statusCode, 201);
  const more = Buffer.concat([model, Buffer.alloc(1)]);
  const type = { 'content-type': 'model/gltf-binary' };
  const answers = [
    await sendRequest(service, 'POST', '/v1/designs', more, type),
    await sendForm(service, [{ ...filePart, value: more }]),
  ];
  for (const answer of answers) {
    assert.equal(answer.statusCode, 413);
    assert.equal(answer.json().code, 'design.too-large');
    assert.match(answer.json().detail, /CLOCHE_MAX_UPLOAD_MB/);
  }
  assert.equal(await countDesigns(service), 2);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'drafts')), []);
});

test('403: a token without write, or for some designs only, makes none', async (t) => {
  const service = await openTestServer(t);
  const wish = { origins: [], type: 'api', user: '~' };
  const rows = [
    [{ ...wish, capabilities: ['read', 'embed'] }, 'token.capability'],
    [
      { ...wish, capabilities: ['write'], designs: ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'] },
      'token.design',
    ],
  ] as const;
  for (const [body, code] of rows) {
    const { token } = (await sendRequest(service, 'POST', '/v1/tokens', body)).json();
    const type = { 'content-type': 'model/gltf-binary' };
    const answer = await sendRequest({ ...service, token }, 'POST', '/v1/designs', model, type);
    assert.equal(answer.statusCode, 403);
    assert.equal(answer.json().code, code);
  }
  await assertNothingLeft(service);
});
