import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { DesignView } from '@cloche/contract/design';
import { openService } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask, issue, openDatabase, upload } from '../../testing/requests.ts';

const NOBODY = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';

test('200: designs are listed to the end, the newest first, none twice', async (t) => {
  const service = await openService(t);
  for (let i = 0; i < 7; i += 1) {
    service.pass(1);
    await upload(service, `chair ${i}`);
  }
  const database = openDatabase(t, service);
  database.exec("UPDATE design SET created_at = '2026-01-01T00:00:00.000Z' WHERE name > 'chair 2'");
  const whole: DesignView[] = (await ask(service, 'GET', '/v1/designs')).json().items;
  assert.deepEqual(
    whole.slice(0, 3).map(({ name }) => name),
    ['chair 2', 'chair 1', 'chair 0'],
  );
  for (const limit of [1, 2, 3, 7]) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url: string = `/v1/designs?limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const page = (await ask(service, 'GET', url)).json();
      seen.push(...page.items.map(({ id }: DesignView) => id));
      cursor = page.nextCursor;
    }
    assert.deepEqual(
      seen,
      whole.map(({ id }) => id),
    );
  }
});

test('200: a design is renamed and described; nothing else changes but the time', async (t) => {
  const service = await openService(t);
  const design = await upload(service);
  const url = `/v1/designs/${design.id}`;
  service.pass(1000);
  const change = { name: ' <Stuhl> ', description: 'Oak.\nFour legs.' };
  const answer = await ask(service, 'PATCH', url, change);
  assert.equal(answer.statusCode, 200);
  const { updatedAt, ...rest } = answer.json();
  assert.ok(updatedAt > design.updatedAt);
  assert.deepEqual(
    { ...rest, updatedAt: design.updatedAt },
    { ...design, name: '<Stuhl>', description: 'Oak.\nFour legs.' },
  );
  assert.deepEqual((await ask(service, 'GET', url)).json(), answer.json());
});

const badChanges: [why: string, body: object, field: string][] = [
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
  const service = await openService(t);
  const design = await upload(service);
  for (const [why, body, field] of badChanges) {
    const answer = await ask(service, 'PATCH', `/v1/designs/${design.id}`, body);
    assert.equal(answer.statusCode, 400, why);
    assert.equal(answer.json().field, field, why);
  }
  assert.deepEqual((await ask(service, 'GET', `/v1/designs/${design.id}`)).json(), design);
});

test('400: an id is a UUID of version 4 in lower case', async (t) => {
  const service = await openService(t);
  const ids = [
    '1',
    NOBODY.toUpperCase(),
    NOBODY.replace('-4b7e', '-1b7e'),
    `cloche:design:${NOBODY}`,
  ];
  for (const id of ids) {
    const answer = await ask(service, 'GET', `/v1/designs/${id}`);
    assert.equal(answer.statusCode, 400, id);
    assert.equal(answer.json().field, 'path.id');
  }
});

test('204: a deleted design is gone at once, from lists and by its id', async (t) => {
  const service = await openService(t);
  const kept = await upload(service, 'kept');
  const gone = await upload(service, 'gone');
  const url = `/v1/designs/${gone.id}`;
  assert.equal((await ask(service, 'GET', url)).statusCode, 200);
  assert.equal((await ask(service, 'DELETE', url)).statusCode, 204);
  for (const [method, path, body] of [
    ['GET', url, undefined],
    ['GET', `${url}/model`, undefined],
    ['PATCH', url, { name: 'x' }],
    ['DELETE', url, undefined],
    ['POST', '/embed/iframe/v1', { uri: gone.uri }],
  ] as const) {
    const answer = await ask(service, method, path, body);
    assert.equal(answer.statusCode, 404, `${method} ${path}`);
    assert.equal(answer.json().code, 'design.unknown');
  }
  const { items } = (await ask(service, 'GET', '/v1/designs')).json();
  assert.deepEqual(items, [kept]);
});

test('404: the designs of others are not there', async (t) => {
  const service = await openService(t);
  const own = await upload(service, 'theirs');
  const id = randomUUID();
  const design = { id, uri: `cloche:design:${id}` };
  const database = openDatabase(t, service);
  database.exec("INSERT INTO user VALUES ('usr_other', '2026-01-01T00:00:00.000Z')");
  database.exec(`INSERT INTO design SELECT '${id}', 'usr_other', name, description, status,
    revision_id, created_at, updated_at FROM design`);
  await ask(service, 'DELETE', `/v1/designs/${own.id}`);
  for (const [method, url, body] of [
    ['GET', '', undefined],
    ['GET', '/model', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['DELETE', '', undefined],
  ] as const) {
    const other = await ask(service, method, `/v1/designs/${design.id}${url}`, body);
    const none = await ask(service, method, `/v1/designs/${NOBODY}${url}`, body);
    assert.equal(other.statusCode, 404);
    assert.equal(other.body.replaceAll(design.id, NOBODY), none.body);
  }
  const snippet = await ask(service, 'POST', '/embed/iframe/v1', { uri: design.uri });
  assert.equal(snippet.statusCode, 404);
  assert.deepEqual((await ask(service, 'GET', '/v1/designs')).json().items, []);
  assert.equal(database.prepare('SELECT name FROM design').get()?.name, 'theirs');
});

test('403: a token for some designs sees and changes those alone', async (t) => {
  const service = await openService(t);
  const [chair, table] = [await upload(service, 'chair'), await upload(service, 'table')];
  const wish = { capabilities: ['read', 'write'], origins: [], designs: [chair.id] };
  const bound = { app: service.app, token: (await issue(service, wish)).token };
  const { items, nextCursor } = (await ask(bound, 'GET', '/v1/designs')).json();
  assert.deepEqual(items, [chair]);
  assert.equal(nextCursor, null);
  for (const [method, url, body] of [
    ['GET', '', undefined],
    ['GET', '/model', undefined],
    ['PATCH', '', { name: 'chair' }],
    ['DELETE', '', undefined],
  ] as const) {
    const refused = await ask(bound, method, `/v1/designs/${table.id}${url}`, body);
    assert.equal(refused.statusCode, 403, `${method} ${url}`);
    assert.equal(refused.json().code, 'token.design');
    const allowed = await ask(bound, method, `/v1/designs/${chair.id}${url}`, body);
    assert.ok(allowed.statusCode < 300, allowed.body);
  }
  const snippet = await ask(bound, 'POST', '/embed/iframe/v1', { uri: table.uri });
  assert.equal(snippet.json().code, 'token.design');
});

test('200: the file comes back as it was sent, to be saved and not shown', async (t) => {
  const service = await openService(t);
  const box = makeBox({ name: 'as sent' });
  const design = await upload(service, 'Oak "chair"', box);
  const url = `/v1/designs/${design.id}/model`;
  const answer = await ask(service, 'GET', url);
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.rawPayload, box);
  assert.equal(answer.headers['content-type'], 'model/gltf-binary');
  assert.equal(answer.headers['content-disposition'], `attachment; filename="${design.id}.glb"`);
  assert.equal(answer.headers['content-security-policy'], "default-src 'none'; sandbox");
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.equal(answer.headers['content-length'], String(box.length));
  assert.equal(answer.headers['cache-control'], 'private, no-cache');

  const known = { 'if-none-match': `${answer.headers.etag}` };
  const same = await ask(service, 'GET', url, undefined, known);
  assert.equal(same.statusCode, 304);
  assert.equal(same.body, '');
  const part = await ask(service, 'GET', url, undefined, { range: 'bytes=0-3' });
  assert.equal(part.statusCode, 206);
  assert.equal(part.body, 'glTF');
  assert.equal(part.headers['content-range'], `bytes 0-3/${box.length}`);
  assert.match(`${part.headers['content-disposition']}`, /^attachment/);
  const only = await ask(service, 'HEAD', url, undefined, { range: 'bytes=0-3' });
  assert.equal(only.statusCode, 200);
  assert.equal(only.headers['content-length'], String(box.length));
  assert.equal(only.body, '');
});
