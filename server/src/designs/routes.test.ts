import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import {
  issueToken,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase, openDatabaseAgain } from '../../testing/test-database.ts';
import { DesignStore } from './design-store.ts';

test('200: pages list all designs, newest first, each once', async (t) => {
  const service = await openTestServer(t);
  for (let index = 0; index < 7; index += 1) {
    service.advanceTime(1);
    await uploadTestDesign(service, `chair ${index}`);
  }
  const database = connectToServerDatabase(t, service);
  await database.exec(
    "UPDATE design SET created_at = '2026-01-01T00:00:00.000Z' WHERE name > 'chair 2'",
  );
  const allDesigns: Design[] = (await sendRequest(service, 'GET', '/v1/designs')).json().items;
  assert.deepEqual(
    allDesigns.slice(0, 3).map(({ name }) => name),
    ['chair 2', 'chair 1', 'chair 0'],
  );
  for (const limit of [1, 2, 3, 7]) {
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url: string = `/v1/designs?limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const page = (await sendRequest(service, 'GET', url)).json();
      ids.push(...page.items.map(({ id }: Design) => id));
      cursor = page.nextCursor;
    }
    assert.deepEqual(
      ids,
      allDesigns.map(({ id }) => id),
    );
  }
});

test('200: PATCH changes name and description, and nothing else but updatedAt', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const url = `/v1/designs/${design.id}`;
  service.advanceTime(1000);
  const update = { name: ' <Stuhl> ', description: 'Oak.\nFour legs.' };
  const response = await sendRequest(service, 'PATCH', url, update);
  assert.equal(response.statusCode, 200);
  const { updatedAt, ...rest } = response.json();
  assert.ok(updatedAt > design.updatedAt);
  assert.deepEqual(
    { ...rest, updatedAt: design.updatedAt },
    { ...design, name: '<Stuhl>', description: 'Oak.\nFour legs.' },
  );
  assert.deepEqual((await sendRequest(service, 'GET', url)).json(), response.json());
});

const invalidUpdates: [name: string, body: object, field: string][] = [
  ['no field', {}, 'body'],
  ['an empty name', { name: '' }, 'name'],
  ['a blank name', { name: ' ' }, 'name'],
  ['a name with a line break', { name: 'a\nb' }, 'name'],
  ['a name with a bidirectional control character', { name: 'a\u2066b' }, 'name'],
  ['a name of 201 characters', { name: 'a'.repeat(201) }, 'name'],
  ['a number as the name', { name: 1 }, 'name'],
  ['a description of 2001 characters', { description: 'a'.repeat(2001) }, 'description'],
  ['null as the description', { description: null }, 'description'],
  ['a read-only field', { status: 'ready' }, 'status'],
  ['an unknown field', { user: '~' }, 'user'],
];

test('changes of different fields that were decided at the same time are all kept', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const designs = new DesignStore(openDatabaseAgain(t, service.dataDirectory));
  const stale = await designs.find(id);
  assert.ok(stale);
  const options = { now: new Date(), complete: async () => {} };
  await designs.update(stale, { name: 'Chair' }, options);
  await designs.update(stale, { description: 'Of oak', tags: ['oak'] }, options);
  const { name, description, tags } = (
    await sendRequest(service, 'GET', '/v1/designs?tag=oak')
  ).json().items[0];
  assert.deepEqual([name, description, tags], ['Chair', 'Of oak', ['oak']]);
});

test('400: an invalid PATCH names the field and changes nothing', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  for (const [name, body, field] of invalidUpdates) {
    const response = await sendRequest(service, 'PATCH', `/v1/designs/${design.id}`, body);
    assert.equal(response.statusCode, 400, name);
    assert.equal(response.json().field, field, name);
  }
  assert.deepEqual((await sendRequest(service, 'GET', `/v1/designs/${design.id}`)).json(), design);
});

test('400: a design id must be a UUID of version 4', async (t) => {
  const service = await openTestServer(t);
  const ids = [
    '1',
    UNKNOWN_DESIGN_ID.replace('-4b7e', '-1b7e'),
    `cloche:design:${UNKNOWN_DESIGN_ID}`,
  ];
  for (const id of ids) {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/model'],
      ['PUT', '/model'],
      ['GET', '/events'],
    ] as const) {
      const response = await sendRequest(service, method, `/v1/designs/${id}${path}`);
      assert.equal(response.statusCode, 400, `${method} ${id}${path}`);
      assert.equal(response.json().field, 'path.id');
    }
  }
});

test('204: a deleted design is gone at once, from lists and by id', async (t) => {
  const service = await openTestServer(t);
  const remaining = await uploadTestDesign(service, 'remaining');
  const deleted = await uploadTestDesign(service, 'deleted');
  const url = `/v1/designs/${deleted.id}`;
  assert.equal((await sendRequest(service, 'GET', url)).statusCode, 200);
  assert.equal((await sendRequest(service, 'DELETE', url)).statusCode, 204);
  for (const [method, path, body] of [
    ['GET', url, undefined],
    ['GET', `${url}/model`, undefined],
    ['PATCH', url, { name: 'x' }],
    ['DELETE', url, undefined],
    ['POST', '/embed/iframe/v1', { uri: deleted.uri }],
  ] as const) {
    const response = await sendRequest(service, method, path, body);
    assert.equal(response.statusCode, 404, `${method} ${path}`);
    assert.equal(response.json().code, 'design.unknown');
  }
  const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
  assert.deepEqual(items, [remaining]);
});

test('404: designs of another user, with the same response as unknown ids', async (t) => {
  const service = await openTestServer(t);
  const copied = await uploadTestDesign(service, 'theirs');
  const id = randomUUID();
  const design = { id, uri: `cloche:design:${id}` };
  const database = connectToServerDatabase(t, service);
  await database.exec(
    `INSERT INTO "user" (id, created_at) VALUES ('usr_other', '2026-01-01T00:00:00.000Z')`,
  );
  await database.exec(`CREATE TEMP TABLE copy AS SELECT * FROM design;
    UPDATE copy SET id = '${id}', user_id = 'usr_other';
    INSERT INTO design SELECT * FROM copy`);
  await sendRequest(service, 'DELETE', `/v1/designs/${copied.id}`);
  for (const [method, url, body] of [
    ['GET', '', undefined],
    ['GET', '/model', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['DELETE', '', undefined],
  ] as const) {
    const other = await sendRequest(service, method, `/v1/designs/${design.id}${url}`, body);
    const unknown = await sendRequest(
      service,
      method,
      `/v1/designs/${UNKNOWN_DESIGN_ID}${url}`,
      body,
    );
    assert.equal(other.statusCode, 404);
    assert.equal(other.body.replaceAll(design.id, UNKNOWN_DESIGN_ID), unknown.body);
  }
  const snippet = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri: design.uri });
  assert.equal(snippet.statusCode, 404);
  assert.deepEqual((await sendRequest(service, 'GET', '/v1/designs')).json().items, []);
  assert.equal((await database.get('SELECT name FROM design'))?.name, 'theirs');
});

test('403: a token limited to some designs cannot read or change others', async (t) => {
  const service = await openTestServer(t);
  const [chair, table] = [
    await uploadTestDesign(service, 'chair'),
    await uploadTestDesign(service, 'table'),
  ];
  const tokenRequest = { capabilities: ['read', 'write'], origins: [], designs: [chair.id] };
  const limited = { app: service.app, token: (await issueToken(service, tokenRequest)).token };
  const { items, nextCursor } = (await sendRequest(limited, 'GET', '/v1/designs')).json();
  assert.deepEqual(items, [chair]);
  assert.equal(nextCursor, null);
  for (const [method, url, body] of [
    ['GET', '', undefined],
    ['GET', '/model', undefined],
    ['PATCH', '', { name: 'chair' }],
    ['DELETE', '', undefined],
  ] as const) {
    const refused = await sendRequest(limited, method, `/v1/designs/${table.id}${url}`, body);
    assert.equal(refused.statusCode, 403, `${method} ${url}`);
    assert.equal(refused.json().code, 'token.design');
    const allowed = await sendRequest(limited, method, `/v1/designs/${chair.id}${url}`, body);
    assert.ok(allowed.statusCode < 300, allowed.body);
  }
  const snippet = await sendRequest(limited, 'POST', '/embed/iframe/v1', { uri: table.uri });
  assert.equal(snippet.json().code, 'token.design');
});

test('200: GET model returns the source file unchanged, as an attachment', async (t) => {
  const service = await openTestServer(t);
  const model = makeBox({ name: 'source' });
  const design = await uploadTestDesign(service, 'Oak "chair"', model);
  const url = `/v1/designs/${design.id}/model`;
  const response = await sendRequest(service, 'GET', url);
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.rawPayload, model);
  assert.equal(response.headers['content-type'], 'model/gltf-binary');
  assert.equal(
    response.headers['content-disposition'],
    `attachment; filename="Oak _chair_.glb"; filename*=UTF-8''Oak%20_chair_.glb`,
  );
  assert.equal(response.headers['content-security-policy'], "default-src 'none'; sandbox");
  assert.equal(response.headers['x-content-type-options'], 'nosniff');
  assert.equal(response.headers['content-length'], String(model.length));
  assert.equal(response.headers['cache-control'], 'private, no-cache');

  const conditional = { 'if-none-match': `${response.headers.etag}` };
  const notModified = await sendRequest(service, 'GET', url, undefined, conditional);
  assert.equal(notModified.statusCode, 304);
  assert.equal(notModified.body, '');
  const partial = await sendRequest(service, 'GET', url, undefined, { range: 'bytes=0-3' });
  assert.equal(partial.statusCode, 206);
  assert.equal(partial.body, 'glTF');
  assert.equal(partial.headers['content-range'], `bytes 0-3/${model.length}`);
  assert.match(`${partial.headers['content-disposition']}`, /^attachment/);
  const head = await sendRequest(service, 'HEAD', url, undefined, { range: 'bytes=0-3' });
  assert.equal(head.statusCode, 200);
  assert.equal(head.headers['content-length'], String(model.length));
  assert.equal(head.body, '');
});
