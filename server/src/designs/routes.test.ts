import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import {
  issueToken,
  openServerDatabase,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';

const UNKNOWN_DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';

test('200: designs are listed to the end, the newest first, none twice', async (t) => {
  const service = await openTestServer(t);
  for (let i = 0; i < 7; i += 1) {
    service.advanceTime(1);
    await uploadTestDesign(service, `chair ${i}`);
  }
  const database = openServerDatabase(t, service);
  database.exec("UPDATE design SET created_at = '2026-01-01T00:00:00.000Z' WHERE name > 'chair 2'");
  const whole: Design[] = (await sendRequest(service, 'GET', '/v1/designs')).json().items;
  assert.deepEqual(
    whole.slice(0, 3).map(({ name }) => name),
    ['chair 2', 'chair 1', 'chair 0'],
  );
  for (const limit of [1, 2, 3, 7]) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url: string = `/v1/designs?limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const page = (await sendRequest(service, 'GET', url)).json();
      seen.push(...page.items.map(({ id }: Design) => id));
      cursor = page.nextCursor;
    }
    assert.deepEqual(
      seen,
      whole.map(({ id }) => id),
    );
  }
});

test('200: a design is renamed and described; nothing else changes but the time', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const url = `/v1/designs/${design.id}`;
  service.advanceTime(1000);
  const change = { name: ' <Stuhl> ', description: 'Oak.\nFour legs.' };
  const answer = await sendRequest(service, 'PATCH', url, change);
  assert.equal(answer.statusCode, 200);
  const { updatedAt, ...rest } = answer.json();
  assert.ok(updatedAt > design.updatedAt);
  assert.deepEqual(
    { ...rest, updatedAt: design.updatedAt },
    { ...design, name: '<Stuhl>', description: 'Oak.\nFour legs.' },
  );
  assert.deepEqual((await sendRequest(service, 'GET', url)).json(), answer.json());
});

const invalidUpdates: [why: string, body: object, field: string][] = [
  ['nothing', {}, 'body'],
  ['an empty name', { name: '' }, 'name'],
  ['a blank name', { name: ' ' }, 'name'],
  ['two lines', { name: 'a\nb' }, 'name'],
  ['a turned name', { name: 'a\u2066b' }, 'name'],
  ['201 characters', { name: 'a'.repeat(201) }, 'name'],
  ['a number', { name: 1 }, 'name'],
  ['2001 characters', { description: 'a'.repeat(2001) }, 'description'],
  ['null', { description: null }, 'description'],
  ['the status', { status: 'ready' }, 'status'],
  ['the owner', { user: '~' }, 'user'],
];

test('400: a change is read strictly, and leaves the design alone', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  for (const [why, body, field] of invalidUpdates) {
    const answer = await sendRequest(service, 'PATCH', `/v1/designs/${design.id}`, body);
    assert.equal(answer.statusCode, 400, why);
    assert.equal(answer.json().field, field, why);
  }
  assert.deepEqual((await sendRequest(service, 'GET', `/v1/designs/${design.id}`)).json(), design);
});

test('400: an id is a UUID of version 4 in lower case', async (t) => {
  const service = await openTestServer(t);
  const ids = [
    '1',
    UNKNOWN_DESIGN_ID.toUpperCase(),
    UNKNOWN_DESIGN_ID.replace('-4b7e', '-1b7e'),
    `cloche:design:${UNKNOWN_DESIGN_ID}`,
  ];
  for (const id of ids) {
    const answer = await sendRequest(service, 'GET', `/v1/designs/${id}`);
    assert.equal(answer.statusCode, 400, id);
    assert.equal(answer.json().field, 'path.id');
  }
});

test('204: a deleted design is gone at once, from lists and by its id', async (t) => {
  const service = await openTestServer(t);
  const kept = await uploadTestDesign(service, 'kept');
  const gone = await uploadTestDesign(service, 'gone');
  const url = `/v1/designs/${gone.id}`;
  assert.equal((await sendRequest(service, 'GET', url)).statusCode, 200);
  assert.equal((await sendRequest(service, 'DELETE', url)).statusCode, 204);
  for (const [method, path, body] of [
    ['GET', url, undefined],
    ['GET', `${url}/model`, undefined],
    ['PATCH', url, { name: 'x' }],
    ['DELETE', url, undefined],
    ['POST', '/embed/iframe/v1', { uri: gone.uri }],
  ] as const) {
    const answer = await sendRequest(service, method, path, body);
    assert.equal(answer.statusCode, 404, `${method} ${path}`);
    assert.equal(answer.json().code, 'design.unknown');
  }
  const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
  assert.deepEqual(items, [kept]);
});

test('404: the designs of others are not there', async (t) => {
  const service = await openTestServer(t);
  const own = await uploadTestDesign(service, 'theirs');
  const id = randomUUID();
  const design = { id, uri: `cloche:design:${id}` };
  const database = openServerDatabase(t, service);
  database.exec("INSERT INTO user VALUES ('usr_other', '2026-01-01T00:00:00.000Z')");
  database.exec(`INSERT INTO design SELECT '${id}', 'usr_other', name, description, status,
    revision_id, created_at, updated_at FROM design`);
  await sendRequest(service, 'DELETE', `/v1/designs/${own.id}`);
  for (const [method, url, body] of [
    ['GET', '', undefined],
    ['GET', '/model', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['DELETE', '', undefined],
  ] as const) {
    const other = await sendRequest(service, method, `/v1/designs/${design.id}${url}`, body);
    const none = await sendRequest(service, method, `/v1/designs/${UNKNOWN_DESIGN_ID}${url}`, body);
    assert.equal(other.statusCode, 404);
    assert.equal(other.body.replaceAll(design.id, UNKNOWN_DESIGN_ID), none.body);
  }
  const snippet = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri: design.uri });
  assert.equal(snippet.statusCode, 404);
  assert.deepEqual((await sendRequest(service, 'GET', '/v1/designs')).json().items, []);
  assert.equal(database.prepare('SELECT name FROM design').get()?.name, 'theirs');
});

test('403: a token for some designs sees and changes those alone', async (t) => {
  const service = await openTestServer(t);
  const [chair, table] = [
    await uploadTestDesign(service, 'chair'),
    await uploadTestDesign(service, 'table'),
  ];
  const wish = { capabilities: ['read', 'write'], origins: [], designs: [chair.id] };
  const bound = { app: service.app, token: (await issueToken(service, wish)).token };
  const { items, nextCursor } = (await sendRequest(bound, 'GET', '/v1/designs')).json();
  assert.deepEqual(items, [chair]);
  assert.equal(nextCursor, null);
  for (const [method, url, body] of [
    ['GET', '', undefined],
    ['GET', '/model', undefined],
    ['PATCH', '', { name: 'chair' }],
    ['DELETE', '', undefined],
  ] as const) {
    const refused = await sendRequest(bound, method, `/v1/designs/${table.id}${url}`, body);
    assert.equal(refused.statusCode, 403, `${method} ${url}`);
    assert.equal(refused.json().code, 'token.design');
    const allowed = await sendRequest(bound, method, `/v1/designs/${chair.id}${url}`, body);
    assert.ok(allowed.statusCode < 300, allowed.body);
  }
  const snippet = await sendRequest(bound, 'POST', '/embed/iframe/v1', { uri: table.uri });
  assert.equal(snippet.json().code, 'token.design');
});

test('200: the file comes back as it was sent, to be saved and not shown', async (t) => {
  const service = await openTestServer(t);
  const box = makeBox({ name: 'as sent' });
  const design = await uploadTestDesign(service, 'Oak "chair"', box);
  const url = `/v1/designs/${design.id}/model`;
  const answer = await sendRequest(service, 'GET', url);
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.rawPayload, box);
  assert.equal(answer.headers['content-type'], 'model/gltf-binary');
  assert.equal(answer.headers['content-disposition'], `attachment; filename="${design.id}.glb"`);
  assert.equal(answer.headers['content-security-policy'], "default-src 'none'; sandbox");
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.equal(answer.headers['content-length'], String(box.length));
  assert.equal(answer.headers['cache-control'], 'private, no-cache');

  const known = { 'if-none-match': `${answer.headers.etag}` };
  const same = await sendRequest(service, 'GET', url, undefined, known);
  assert.equal(same.statusCode, 304);
  assert.equal(same.body, '');
  const part = await sendRequest(service, 'GET', url, undefined, { range: 'bytes=0-3' });
  assert.equal(part.statusCode, 206);
  assert.equal(part.body, 'glTF');
  assert.equal(part.headers['content-range'], `bytes 0-3/${box.length}`);
  assert.match(`${part.headers['content-disposition']}`, /^attachment/);
  const only = await sendRequest(service, 'HEAD', url, undefined, { range: 'bytes=0-3' });
  assert.equal(only.statusCode, 200);
  assert.equal(only.headers['content-length'], String(box.length));
  assert.equal(only.body, '');
});
