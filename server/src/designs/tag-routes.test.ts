import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DesignTagList } from '@cloche/contract/tag';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { CompiledQuery } from 'kysely';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { sqliteOnly } from '../../testing/postgres-run.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { migrate } from '../database/migrate.ts';
import { openSqlite } from '../database/sqlite.ts';
import { buildTagQuery } from './list-tags.ts';

const READ = { capabilities: ['read', 'write', 'embed'], origins: [] };

async function listPage(service: TestServer, query = ''): Promise<DesignTagList> {
  const response = await sendRequest(service, 'GET', `/v1/tags${query}`);
  assert.equal(response.statusCode, 200, response.body);
  return response.json();
}

async function addDesign(service: TestServer, name: string, tags: string[]): Promise<string> {
  const { id } = await uploadTestDesign(service, name);
  const response = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { tags });
  assert.equal(response.statusCode, 200, response.body);
  return id;
}

test('200: each tag once, with the number of designs, in the order of code points', async (t) => {
  const service = await openTestServer(t);
  assert.deepEqual(await listPage(service), { items: [], nextCursor: null });
  const id = await addDesign(service, 'a', ['oak', 'Chair', '<b>', '😀']);
  await addDesign(service, 'b', ['oak', 'chair', '\u{FB01}sh', 'é']);
  const all = [
    ...[
      { tag: '<b>', designs: 1 },
      { tag: 'Chair', designs: 1 },
      { tag: 'chair', designs: 1 },
    ],
    ...[
      { tag: 'oak', designs: 2 },
      { tag: 'é', designs: 1 },
      { tag: '\u{FB01}sh', designs: 1 },
    ],
    { tag: '😀', designs: 1 },
  ];
  assert.deepEqual(await listPage(service), { items: all, nextCursor: null });
  for (const limit of [1, 2, 3, 7]) {
    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const next: string = cursor && `&cursor=${cursor}`;
      const page = await listPage(service, `?limit=${limit}${next}`);
      assert.ok(page.items.length > 0, 'no empty page');
      paged.push(...page.items);
      cursor = page.nextCursor;
    }
    assert.deepEqual(paged, all, `pages of ${limit}`);
  }
  await sendRequest(service, 'DELETE', `/v1/designs/${id}`);
  const { items } = await listPage(service);
  assert.deepEqual(
    items.map(({ tag, designs }) => `${tag} ${designs}`),
    [...['chair 1', 'oak 1', 'é 1', '\u{FB01}sh 1']],
  );
});

test('only what the token may read: neither other users, nor designs outside of its limit', async (t) => {
  const service = await openTestServer(t);
  await connectToServerDatabase(t, service).exec(
    `INSERT INTO "user" (id, name, created_at) VALUES ('usr_anna', 'anna', '2026-01-01T00:00:00.000Z')`,
  );
  const anna = { ...service, token: (await issueToken(service, { ...READ, user: 'anna' })).token };
  await addDesign(anna, 'c', ['oak', 'secret']);
  const id = await addDesign(service, 'a', ['oak', 'pine']);
  await addDesign(service, 'b', ['oak', 'birch']);
  const names = async (client: TestServer) =>
    (await listPage(client)).items.map(({ tag, designs }) => `${tag} ${designs}`);
  assert.deepEqual(await names(anna), ['oak 1', 'secret 1']);
  assert.deepEqual(await names(service), ['birch 1', 'oak 2', 'pine 1']);
  const body = { capabilities: ['read'], origins: [], designs: [id] };
  const { token } = await issueToken(service, body);
  assert.deepEqual(await names({ ...service, token }), ['oak 1', 'pine 1']);
});

test('400 and 403: a cursor of another list, an unknown parameter, a token that may not read', async (t) => {
  const service = await openTestServer(t);
  for (const name of ['a', 'b']) await addDesign(service, name, [name]);
  const designs = (await sendRequest(service, 'GET', '/v1/designs?limit=1')).json();
  const cases: [query: string, code: string][] = [
    [`cursor=${designs.nextCursor}`, 'request.cursor'],
    ['cursor=x', 'request.cursor'],
    ['limit=0', 'request.invalid'],
    ['tag=a', 'request.invalid'],
  ];
  for (const [query, code] of cases) {
    const response = await sendRequest(service, 'GET', `/v1/tags?${query}`);
    assert.deepEqual([response.statusCode, response.json().code], [400, code], query);
  }
  const { token } = await issueToken(service, { capabilities: ['write'], origins: [] });
  const refused = await sendRequest({ ...service, token }, 'GET', '/v1/tags');
  assert.equal(refused.statusCode, 403);
});

test(
  'the query reads only an index, in its order',
  sqliteOnly('the plans of SQLite depend on the query, those of PostgreSQL on the rows'),
  async (t) => {
    const database = openSqlite(join(await openTemporaryDirectory(t), 'cloche.sqlite'));
    t.after(() => database.destroy());
    await migrate(database);
    for (const after of [undefined, 'x']) {
      const page = { user: 'u', onlyIds: undefined, after, limit: 51 };
      const { sql, parameters } = buildTagQuery(database, page).compile();
      const plan = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
      const { rows } = await database.executeQuery<{ detail: string }>(plan);
      const steps = rows.map(({ detail }) => detail);
      assert.equal(steps.length, 1, steps.join('; '));
      assert.match(steps[0] ?? '', /^SEARCH design_tag USING (PRIMARY KEY|COVERING INDEX)/);
    }
  },
);
