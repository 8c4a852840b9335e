import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openService, type Service } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask, upload } from '../../testing/requests.ts';

type Part = { name: string; value: string | Buffer; file?: string };

const box = makeBox();
const file: Part = { name: 'file', value: box, file: 'chair.glb' };
const FORM = { 'content-type': 'multipart/form-data; boundary=seam' };

function form(parts: readonly Part[], end = '--seam--\r\n'): Buffer {
  const pieces = parts.flatMap(({ name, value, file }) => {
    const fileName = file === undefined ? '' : `; filename="${file}"`;
    const type = file === undefined ? '' : '\r\nContent-Type: model/gltf-binary';
    const head = `--seam\r\nContent-Disposition: form-data; name="${name}"${fileName}${type}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

const send = (service: Service, parts: readonly Part[], query = '') =>
  ask(service, 'POST', `/v1/designs${query}`, form(parts), FORM);

async function countDesigns(service: Service): Promise<number> {
  return (await ask(service, 'GET', '/v1/designs?limit=200')).json().items.length;
}

/** Every test of a refusal ends with this: nothing was kept, nothing lies about. */
async function assertNothingLeft(service: Service): Promise<void> {
  assert.equal(await countDesigns(service), 0);
  assert.deepEqual(await readdir(join(service.folder, 'blobs', 'drafts')), []);
  assert.deepEqual(await readdir(join(service.folder, 'blobs', 'kept')), []);
}

test('201: the bytes as the body, of either type', async (t) => {
  const service = await openService(t);
  for (const type of ['model/gltf-binary', 'application/octet-stream', 'MODEL/GLTF-BINARY']) {
    const answer = await ask(service, 'POST', '/v1/designs', box, { 'content-type': type });
    assert.equal(answer.statusCode, 201, answer.body);
    const design = answer.json();
    assert.equal(answer.headers.location, `/v1/designs/${design.id}`);
    assert.equal(design.uri, `cloche:design:${design.id}`);
    assert.equal(design.name, 'Untitled');
    assert.equal(design.status, 'ready');
    assert.equal(design.revision, 1);
    assert.equal(design.stats.bytes, box.length);
    assert.equal(design.stats.triangles, 12);
    assert.deepEqual((await ask(service, 'GET', `/v1/designs/${design.id}`)).json(), design);
  }
  assert.deepEqual(await readdir(join(service.folder, 'blobs', 'drafts')), []);
});

const named: [why: string, parts: Part[], query: string, name: string][] = [
  ['the file alone', [file], '', 'chair'],
  ['a name before the file', [{ name: 'name', value: 'Oak chair' }, file], '', 'Oak chair'],
  ['a name after the file', [file, { name: 'name', value: 'Oak chair' }], '', 'Oak chair'],
  ['a name in the query too', [file, { name: 'name', value: 'a' }], '?name=b', 'b'],
  ['a name to trim', [file, { name: 'name', value: '  Stuhl ä ' }], '', 'Stuhl ä'],
  ['a name that looks like HTML', [file, { name: 'name', value: '"><b>' }], '', '"><b>'],
  ['a path of Unix', [{ ...file, file: '../../etc/passwd.glb' }], '', 'passwd'],
  [
    'a path of Windows',
    [{ ...file, file: 'C:\\\\models\\\\oak chair.v2.glb' }],
    '',
    'oak chair.v2',
  ],
  ['no name but an ending', [{ ...file, file: '.glb' }], '', 'Untitled'],
  ['an empty file name', [{ ...file, file: '' }], '', 'Untitled'],
  ['a turned file name', [{ ...file, file: 'a\u202egnp.glb' }], '', 'agnp'],
  ['a file name of chairs', [{ ...file, file: `${'🪑'.repeat(300)}.glb` }], '', '🪑'.repeat(200)],
];

test('201: a form, and the name the design gets', async (t) => {
  const service = await openService(t);
  for (const [why, parts, query, name] of named) {
    await t.test(why, async () => {
      const answer = await send(service, parts, query);
      assert.equal(answer.statusCode, 201, answer.body);
      assert.equal(answer.json().name, name);
      assert.equal(answer.json().stats.bytes, box.length);
    });
  }
});

const badForms: [why: string, body: Buffer, field: string][] = [
  ['no part', form([]), 'file'],
  ['no file', form([{ name: 'name', value: 'x' }]), 'file'],
  ['two files', form([file, file]), 'file'],
  ['a file of another name', form([{ ...file, name: 'model' }]), 'file'],
  ['a part nobody knows', form([file, { name: 'colour', value: 'red' }]), 'body'],
  ['a part nobody knows, first', form([{ name: 'colour', value: 'red' }, file]), 'body'],
  ['the file without a file name', form([{ name: 'file', value: 'x' }]), 'body'],
  ['a prototype', form([{ name: '__proto__', value: 'x' }, file]), 'body'],
  ['ten names', form([...Array(10).fill({ name: 'name', value: 'x' }), file]), 'body'],
  ['a blank name', form([{ name: 'name', value: ' ' }, file]), 'name'],
  ['a name of two lines', form([file, { name: 'name', value: 'a\nb' }]), 'name'],
  ['a turned name', form([file, { name: 'name', value: 'a\u202eb' }]), 'name'],
  ['a name of 201', form([file, { name: 'name', value: 'a'.repeat(201) }]), 'name'],
  ['a name of 9 kB', form([file, { name: 'name', value: 'a'.repeat(9000) }]), 'name'],
  ['no end', form([{ name: 'name', value: 'x' }], ''), 'body'],
  ['not a form at all', Buffer.from('hello'), 'body'],
  ['nothing', Buffer.alloc(0), 'file'],
];

test('400: a form that is not one file and perhaps a name', async (t) => {
  const service = await openService(t);
  for (const [why, body, field] of badForms) {
    await t.test(why, async () => {
      const answer = await ask(service, 'POST', '/v1/designs', body, FORM);
      assert.equal(answer.statusCode, 400, answer.body);
      assert.equal(answer.json().field, field, answer.body);
      assert.ok(answer.json().detail.startsWith(`${field}: `), answer.body);
    });
  }
  const noSeam = { 'content-type': 'multipart/form-data' };
  assert.equal((await ask(service, 'POST', '/v1/designs', form([file]), noSeam)).statusCode, 400);
  await assertNothingLeft(service);
});

test('400: a form that ends within its file', async (t) => {
  const service = await openService(t);
  const cut = form([file]).subarray(0, 300);
  const answer = await ask(service, 'POST', '/v1/designs', cut, FORM);
  assert.equal(answer.statusCode, 400, answer.body);
  await assertNothingLeft(service);
});

test('400: a name in the query is as strict as one in a form', async (t) => {
  const service = await openService(t);
  const type = { 'content-type': 'model/gltf-binary' };
  for (const name of ['', '%20', '%0a', '%E2%80%AEx', 'a'.repeat(201), 'a&name=b']) {
    const answer = await ask(service, 'POST', `/v1/designs?name=${name}`, box, type);
    assert.equal(answer.statusCode, 400, name);
    assert.equal(answer.json().field, 'query.name', answer.body);
  }
  const unknown = await ask(service, 'POST', '/v1/designs?nmae=x', box, type);
  assert.equal(unknown.json().field, 'query.nmae');
  await assertNothingLeft(service);
});

test('400: a request without a body', async (t) => {
  const service = await openService(t);
  const answer = await ask(service, 'POST', '/v1/designs');
  assert.equal(answer.statusCode, 400, answer.body);
  assert.equal(answer.json().field, 'body');
  await assertNothingLeft(service);
});

test('415: what is not sent as a model is not read', async (t) => {
  const service = await openService(t);
  for (const type of ['application/json', 'text/plain', 'model/vrml', 'image/png', '']) {
    const answer = await ask(service, 'POST', '/v1/designs', box, { 'content-type': type });
    assert.equal(answer.statusCode, 415, type);
  }
  await assertNothingLeft(service);
});

const badFiles: [why: string, bytes: Buffer, code: string][] = [
  ['nothing', Buffer.alloc(0), 'design.unreadable'],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n0123456789abcdef', 'latin1'), 'design.unsupported'],
  ['half a model', box.subarray(0, box.length / 2), 'design.unreadable'],
];

test('422: a file that is no model leaves nothing', async (t) => {
  const service = await openService(t);
  for (const [why, bytes, code] of badFiles) {
    for (const [body, type] of [
      [bytes, { 'content-type': 'model/gltf-binary' }],
      [form([{ ...file, value: bytes }]), FORM],
    ] as const) {
      const answer = await ask(service, 'POST', '/v1/designs', body, type);
      assert.equal(answer.statusCode, 422, `${why}: ${answer.body}`);
      assert.equal(answer.json().code, code, why);
    }
  }
  await assertNothingLeft(service);
});

test('413: one byte more than allowed, in a body and in a form', async (t) => {
  const service = await openService(t, { maxUploadBytes: box.length });
  assert.equal((await upload(service, 'fits', box)).stats?.bytes, box.length);
  assert.equal((await send(service, [file])).statusCode, 201);
  const more = Buffer.concat([box, Buffer.alloc(1)]);
  const type = { 'content-type': 'model/gltf-binary' };
  const answers = [
    await ask(service, 'POST', '/v1/designs', more, type),
    await send(service, [{ ...file, value: more }]),
  ];
  for (const answer of answers) {
    assert.equal(answer.statusCode, 413);
    assert.equal(answer.json().code, 'design.too-large');
    assert.match(answer.json().detail, /CLOCHE_MAX_UPLOAD_MB/);
  }
  assert.equal(await countDesigns(service), 2);
  assert.deepEqual(await readdir(join(service.folder, 'blobs', 'drafts')), []);
});

test('403: a token without write, or for some designs only, makes none', async (t) => {
  const service = await openService(t);
  const wish = { origins: [], type: 'api', user: '~' };
  const rows = [
    [{ ...wish, capabilities: ['read', 'embed'] }, 'token.capability'],
    [
      { ...wish, capabilities: ['write'], designs: ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'] },
      'token.design',
    ],
  ] as const;
  for (const [body, code] of rows) {
    const { token } = (await ask(service, 'POST', '/v1/tokens', body)).json();
    const type = { 'content-type': 'model/gltf-binary' };
    const answer = await ask({ ...service, token }, 'POST', '/v1/designs', box, type);
    assert.equal(answer.statusCode, 403);
    assert.equal(answer.json().code, code);
  }
  await assertNothingLeft(service);
});
