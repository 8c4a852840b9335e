import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  GLB_HEADERS,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { createSuspendedBlobStore } from '../../testing/test-blobs.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';

type Part = { name: string; value: string | Buffer; file?: string };

const model = makeBox();
const filePart: Part = { name: 'file', value: model, file: 'chair.glb' };
const FORM_HEADERS = { 'content-type': 'multipart/form-data; boundary=boundary' };

function encodeForm(parts: readonly Part[], end = '--boundary--\r\n'): Buffer {
  const encodedParts = parts.flatMap(({ name, value, file }) => {
    const fileName = file === undefined ? '' : `; filename="${file}"`;
    const type = file === undefined ? '' : '\r\nContent-Type: model/gltf-binary';
    const head = `--boundary\r\nContent-Disposition: form-data; name="${name}"${fileName}${type}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  return Buffer.concat([...encodedParts, Buffer.from(end)]);
}

const sendForm = (service: TestServer, parts: readonly Part[], query = '') =>
  sendRequest(service, 'POST', `/v1/designs${query}`, encodeForm(parts), FORM_HEADERS);

async function countDesigns(service: TestServer): Promise<number> {
  return (await sendRequest(service, 'GET', '/v1/designs?limit=200')).json().items.length;
}

/** Checks that no design, blob or draft remains. */
async function assertNothingLeft(service: TestServer): Promise<void> {
  assert.equal(await countDesigns(service), 0);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'drafts')), []);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'sha256')), []);
}

test('201: the file as the request body, with a specific or a generic media type', async (t) => {
  const service = await openTestServer(t);
  for (const type of ['model/gltf-binary', 'application/octet-stream', 'MODEL/GLTF-BINARY']) {
    const response = await sendRequest(service, 'POST', '/v1/designs', model, {
      'content-type': type,
    });
    assert.equal(response.statusCode, 201, response.body);
    const design = response.json();
    assert.equal(response.headers.location, `/v1/designs/${design.id}`);
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

const nameCases: [name: string, parts: Part[], query: string, expectedName: string][] = [
  ['the file only', [filePart], '', 'chair'],
  ['a name before the file', [{ name: 'name', value: 'Oak chair' }, filePart], '', 'Oak chair'],
  ['a name after the file', [filePart, { name: 'name', value: 'Oak chair' }], '', 'Oak chair'],
  ['names in form and query', [filePart, { name: 'name', value: 'a' }], '?name=b', 'b'],
  ['a name to trim', [filePart, { name: 'name', value: '  Stuhl ä ' }], '', 'Stuhl ä'],
  ['a name that looks like HTML', [filePart, { name: 'name', value: '"><b>' }], '', '"><b>'],
  ['a Unix path as the file name', [{ ...filePart, file: '../../etc/passwd.glb' }], '', 'passwd'],
  [
    'a Windows path as the file name',
    [{ ...filePart, file: 'C:\\\\models\\\\oak chair.v2.glb' }],
    '',
    'oak chair.v2',
  ],
  ['a file name that is only an extension', [{ ...filePart, file: '.glb' }], '', 'Untitled'],
  ['an empty file name', [{ ...filePart, file: '' }], '', 'Untitled'],
  [
    'a file name with a bidirectional control character',
    [{ ...filePart, file: 'a\u202egnp.glb' }],
    '',
    'agnp',
  ],
  [
    'a long file name of surrogate pairs',
    [{ ...filePart, file: `${'🪑'.repeat(300)}.glb` }],
    '',
    '🪑'.repeat(200),
  ],
];

test('201: a form, with the name of the design from query, form or file name', async (t) => {
  const service = await openTestServer(t);
  for (const [name, parts, query, expectedName] of nameCases) {
    await t.test(name, async () => {
      const response = await sendForm(service, parts, query);
      assert.equal(response.statusCode, 201, response.body);
      assert.equal(response.json().name, expectedName);
      assert.equal(response.json().stats.bytes, model.length);
    });
  }
});

const invalidForms: [name: string, body: Buffer, field: string][] = [
  ['no part', encodeForm([]), 'file'],
  ['no file', encodeForm([{ name: 'name', value: 'x' }]), 'file'],
  ['two files', encodeForm([filePart, filePart]), 'file'],
  ['a file in a part of another name', encodeForm([{ ...filePart, name: 'model' }]), 'file'],
  ['an unknown part', encodeForm([filePart, { name: 'color', value: 'red' }]), 'body'],
  [
    'an unknown part before the file',
    encodeForm([{ name: 'color', value: 'red' }, filePart]),
    'body',
  ],
  ['the file without a file name', encodeForm([{ name: 'file', value: 'x' }]), 'body'],
  ['a part called __proto__', encodeForm([{ name: '__proto__', value: 'x' }, filePart]), 'body'],
  [
    'two name parts',
    encodeForm([...Array(2).fill({ name: 'name', value: 'x' }), filePart]),
    'name',
  ],
  ['a blank name', encodeForm([{ name: 'name', value: ' ' }, filePart]), 'name'],
  ['a name with a line break', encodeForm([filePart, { name: 'name', value: 'a\nb' }]), 'name'],
  [
    'a name with a bidirectional control character',
    encodeForm([filePart, { name: 'name', value: 'a\u202eb' }]),
    'name',
  ],
  [
    'a name of 201 characters',
    encodeForm([filePart, { name: 'name', value: 'a'.repeat(201) }]),
    'name',
  ],
  ['a name of 9 kB', encodeForm([filePart, { name: 'name', value: 'a'.repeat(9000) }]), 'name'],
  ['no closing boundary', encodeForm([{ name: 'name', value: 'x' }], ''), 'body'],
  ['not a form', Buffer.from('hello'), 'body'],
  ['an empty body', Buffer.alloc(0), 'file'],
];

test('400: a form must have one file and at most one name', async (t) => {
  const service = await openTestServer(t);
  for (const [name, body, field] of invalidForms) {
    await t.test(name, async () => {
      const response = await sendRequest(service, 'POST', '/v1/designs', body, FORM_HEADERS);
      assert.equal(response.statusCode, 400, response.body);
      assert.equal(response.json().field, field, response.body);
      assert.ok(response.json().detail.startsWith(`${field}: `), response.body);
    });
  }
  const withoutBoundary = { 'content-type': 'multipart/form-data' };
  assert.equal(
    (await sendRequest(service, 'POST', '/v1/designs', encodeForm([filePart]), withoutBoundary))
      .statusCode,
    400,
  );
  await assertNothingLeft(service);
});

test('400: a form that is truncated within its file', async (t) => {
  const service = await openTestServer(t);
  const truncated = encodeForm([filePart]).subarray(0, 300);
  const response = await sendRequest(service, 'POST', '/v1/designs', truncated, FORM_HEADERS);
  assert.equal(response.statusCode, 400, response.body);
  await assertNothingLeft(service);
});

test('400: an invalid name in the query, or an unknown parameter', async (t) => {
  const service = await openTestServer(t);
  for (const name of ['', '%20', '%0a', '%E2%80%AEx', 'a'.repeat(201), 'a&name=b']) {
    const response = await sendRequest(
      service,
      'POST',
      `/v1/designs?name=${name}`,
      model,
      GLB_HEADERS,
    );
    assert.equal(response.statusCode, 400, name);
    assert.equal(response.json().field, 'query.name', response.body);
  }
  const unknown = await sendRequest(service, 'POST', '/v1/designs?nmae=x', model, GLB_HEADERS);
  assert.equal(unknown.json().field, 'query.nmae');
  await assertNothingLeft(service);
});

test('400: a request without a body', async (t) => {
  const service = await openTestServer(t);
  const response = await sendRequest(service, 'POST', '/v1/designs');
  assert.equal(response.statusCode, 400, response.body);
  assert.equal(response.json().field, 'body');
  await assertNothingLeft(service);
});

test('415: a media type that is not of a model', async (t) => {
  const service = await openTestServer(t);
  for (const type of ['application/json', 'text/plain', 'model/vrml', 'image/png', '']) {
    const response = await sendRequest(service, 'POST', '/v1/designs', model, {
      'content-type': type,
    });
    assert.equal(response.statusCode, 415, type);
  }
  await assertNothingLeft(service);
});

const invalidFiles: [name: string, bytes: Buffer, code: string][] = [
  ['an empty file', Buffer.alloc(0), 'design.unreadable'],
  ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n0123456789abcdef', 'latin1'), 'design.unsupported'],
  ['a truncated model', model.subarray(0, model.length / 2), 'design.unreadable'],
];

test('422: a file that is not a model; nothing is stored', async (t) => {
  const service = await openTestServer(t);
  for (const [name, bytes, code] of invalidFiles) {
    for (const [body, type] of [
      [bytes, GLB_HEADERS],
      [encodeForm([{ ...filePart, value: bytes }]), FORM_HEADERS],
    ] as const) {
      const response = await sendRequest(service, 'POST', '/v1/designs', body, type);
      assert.equal(response.statusCode, 422, `${name}: ${response.body}`);
      assert.equal(response.json().code, code, name);
    }
  }
  await assertNothingLeft(service);
});

test('413: one byte over the limit, as the body and in a form', async (t) => {
  const service = await openTestServer(t, { maxUploadBytes: model.length });
  assert.equal((await uploadTestDesign(service, 'fits', model)).stats?.bytes, model.length);
  assert.equal((await sendForm(service, [filePart])).statusCode, 201);
  const tooLarge = Buffer.concat([model, Buffer.alloc(1)]);
  const responses = [
    await sendRequest(service, 'POST', '/v1/designs', tooLarge, GLB_HEADERS),
    await sendForm(service, [{ ...filePart, value: tooLarge }]),
  ];
  for (const response of responses) {
    assert.equal(response.statusCode, 413);
    assert.equal(response.json().code, 'design.too-large');
    assert.match(response.json().detail, /CLOCHE_MAX_UPLOAD_MB/);
  }
  assert.equal(await countDesigns(service), 2);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'drafts')), []);
});

test('403: a token without "write", or limited to some designs, cannot create designs', async (t) => {
  const service = await openTestServer(t);
  const tokenRequest = { origins: [], type: 'api', user: '~' };
  const rows = [
    [{ ...tokenRequest, capabilities: ['read', 'embed'] }, 'token.capability'],
    [
      {
        ...tokenRequest,
        capabilities: ['write'],
        designs: [UNKNOWN_DESIGN_ID],
      },
      'token.design',
    ],
  ] as const;
  for (const [body, code] of rows) {
    const { token } = (await sendRequest(service, 'POST', '/v1/tokens', body)).json();
    const response = await sendRequest(
      { ...service, token },
      'POST',
      '/v1/designs',
      model,
      GLB_HEADERS,
    );
    assert.equal(response.statusCode, 403);
    assert.equal(response.json().code, code);
  }
  await assertNothingLeft(service);
});

test('503: no design names a file that another node may have removed meanwhile', async (t) => {
  const disk = await DiskBlobStore.open(join(await openTemporaryDirectory(t), 'blobs'));
  const service = await openTestServer(t, { blobs: createSuspendedBlobStore(disk) });
  const response = await sendRequest(service, 'POST', '/v1/designs', model, GLB_HEADERS);
  assert.deepEqual([response.statusCode, response.json().code], [503, 'server.unavailable']);
  assert.equal(await countDesigns(service), 0);
});
