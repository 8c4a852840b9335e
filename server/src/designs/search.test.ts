import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { CompiledQuery } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { sqliteOnly } from '../../testing/postgres-run.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { migrate } from '../database/migrate.ts';
import { openSqlite } from '../database/sqlite.ts';
import { buildSearch } from './design-search.ts';
import { foldCase } from './fold-case.ts';

type Fields = Partial<Pick<Design, 'name' | 'description' | 'tags' | 'externalId' | 'metadata'>>;

/** Creates a design without waiting for its processing. */
async function createDesign(service: TestServer, { name = 'x', ...fields }: Fields = {}) {
  service.advanceTime(1);
  const url = `/v1/designs?name=${encodeURIComponent(name)}`;
  const bytes = makeBox({ name: crypto.randomUUID() });
  const created = await sendRequest(service, 'POST', url, bytes, { ...GLB_HEADERS, prefer: '' });
  assert.equal(created.statusCode, 201, created.body);
  const { id } = created.json();
  if (Object.keys(fields).length === 0) return id;
  const updated = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, fields);
  assert.equal(updated.statusCode, 200, updated.body);
  return id;
}

async function searchNames(service: TestServer, query: Record<string, string>): Promise<string[]> {
  const response = await sendRequest(service, 'GET', `/v1/designs?${new URLSearchParams(query)}`);
  assert.equal(response.statusCode, 200, response.body);
  return response.json().items.map(({ name }: Design) => name);
}

test('foldCase: texts that differ only in case are equal, in every script', () => {
  const pairs: [string, string][] = [
    ['Straße', 'STRASSE'],
    ['ÄÖÜ', 'äöü'],
    ['A\u0308', 'ä'],
    ['ΟΔΟΣ', 'οδος'],
    ['ЖУК', 'жук'],
    ['İstanbul', 'istanbul'],
    ['ＡＢＣ', 'abc'],
    ['ﬁsh', 'FISH'],
  ];
  for (const [one, other] of pairs) assert.equal(foldCase(one), foldCase(other), one);
  assert.notEqual(foldCase('a'), foldCase('ä'));
});

test('200: q finds text in name, description, tags and external id, in any case', async (t) => {
  const service = await openTestServer(t);
  await createDesign(service, { name: 'GRÜNER Sessel' });
  await createDesign(service, { name: 'a', description: 'Straße nach Ωmega' });
  await createDesign(service, { name: 'b', tags: ['Кресло'] });
  await createDesign(service, { name: 'c', externalId: 'SKU-4711' });
  await createDesign(service, { name: '100% wool_rug' });
  const cases: [q: string, names: string[]][] = [
    ['grüner', ['GRÜNER Sessel']],
    ['STRASSE', ['a']],
    ['ωMEGA', ['a']],
    ['КРЕСЛО', ['b']],
    ['sku-47', ['c']],
    ['%', ['100% wool_rug']],
    ['_', ['100% wool_rug']],
    ['100%wool', []],
    ['\\', []],
    ["'", []],
    ['"', []],
    // The end of the name and the start of the description are not one text.
    ['astraße', []],
    ['a\nstraße', []],
  ];
  for (const [q, names] of cases)
    assert.deepEqual(await searchNames(service, { q, sort: 'name' }), names, q);
});

test('200: tag and externalId, alone and together', async (t) => {
  const service = await openTestServer(t);
  await createDesign(service, { name: 'a', tags: ['chair', 'oak'], externalId: '1' });
  await createDesign(service, { name: 'b', tags: ['chair'], externalId: '2' });
  await createDesign(service, { name: 'c' });
  assert.deepEqual(await searchNames(service, { tag: 'chair' }), ['b', 'a']);
  assert.deepEqual(await searchNames(service, { tag: 'Chair' }), []);
  assert.deepEqual(await searchNames(service, { tag: 'chair', q: 'OAK' }), ['a']);
  assert.deepEqual(await searchNames(service, { externalId: '2' }), ['b']);
  assert.deepEqual(await searchNames(service, { externalId: '2', tag: 'oak' }), []);
  const [first] = (await sendRequest(service, 'GET', '/v1/designs?externalId=1')).json().items;
  await sendRequest(service, 'PATCH', `/v1/designs/${first.id}`, { tags: ['sofa'] });
  assert.deepEqual(await searchNames(service, { tag: 'oak' }), []);
  assert.deepEqual(await searchNames(service, { tag: 'sofa' }), ['a']);
  await sendRequest(service, 'DELETE', `/v1/designs/${first.id}`);
  assert.deepEqual(await searchNames(service, { tag: 'sofa' }), []);
});

test('200: each order, in pages of every size, has each design once', async (t) => {
  const service = await openTestServer(t);
  for (const name of ['b', 'Ä', 'B', 'a', 'a', 'z']) await createDesign(service, { name });
  // Processing changes updatedAt.
  await waitUntil('all designs are ready', async () => {
    const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
    return items.every(({ status }: Design) => status === 'ready');
  });
  const byName = ['a', 'a', 'b', 'B', 'z', 'Ä'].map(foldCase);
  for (const sort of ['createdAt', '-createdAt', 'updatedAt', '-updatedAt', 'name', '-name']) {
    const all = (await sendRequest(service, 'GET', `/v1/designs?sort=${sort}`)).json();
    assert.equal(all.nextCursor, null);
    const ids = all.items.map(({ id }: Design) => id);
    assert.equal(new Set(ids).size, 6);
    if (sort === 'name')
      assert.deepEqual(
        all.items.map(({ name }: Design) => foldCase(name)),
        byName,
      );
    for (const limit of [1, 2, 3, 6]) {
      const paged: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const next: string = cursor && `&cursor=${cursor}`;
        const url = `/v1/designs?sort=${sort}&limit=${limit}${next}`;
        const page = (await sendRequest(service, 'GET', url)).json();
        assert.ok(page.items.length > 0, 'no empty page');
        paged.push(...page.items.map(({ id }: Design) => id));
        cursor = page.nextCursor;
      }
      assert.deepEqual(paged, ids, `${sort}, ${limit}`);
    }
  }
});

test('400: a cursor of another query', async (t) => {
  const service = await openTestServer(t);
  for (const name of ['a', 'b']) await createDesign(service, { name, tags: ['x'] });
  const get = (query: string) => sendRequest(service, 'GET', `/v1/designs?limit=1${query}`);
  const { nextCursor } = (await get('&tag=x&sort=name')).json();
  assert.ok(nextCursor.length < 1000);
  assert.equal((await get(`&tag=x&sort=name&cursor=${nextCursor}`)).statusCode, 200);
  for (const query of ['', '&tag=x', '&tag=x&sort=-name', '&sort=name', '&tag=x&sort=name&q=a']) {
    const response = await get(`${query}&cursor=${nextCursor}`);
    assert.equal(response.statusCode, 400, query);
    assert.equal(response.json().code, 'request.cursor');
  }
  const forged = Buffer.from('["x","a","b"]').toString('base64url');
  for (const cursor of ['x', 'W10', 'bnVsbA', forged, `${nextCursor}x`])
    assert.equal((await get(`&tag=x&sort=name&cursor=${cursor}`)).statusCode, 400, cursor);
});

test('a cursor of the longest name is accepted', async (t) => {
  const service = await openTestServer(t);
  for (const letter of ['a', 'b'])
    await createDesign(service, { name: `${'😀'.repeat(199)}${letter}` });
  const first = (await sendRequest(service, 'GET', '/v1/designs?sort=name&limit=1')).json();
  const url = `/v1/designs?sort=name&limit=1&cursor=${first.nextCursor}`;
  const second = await sendRequest(service, 'GET', url);
  assert.equal(second.statusCode, 200, second.body);
  assert.notEqual(second.json().items[0].id, first.items[0].id);
});

async function explainSearch(t: TestContext, search: object): Promise<string[]> {
  const database = openSqlite(join(await openTemporaryDirectory(t), 'cloche.sqlite'));
  t.after(() => database.destroy());
  await migrate(database);
  const defaults = {
    user: 'u',
    onlyIds: undefined,
    limit: 51,
    sort: '-createdAt',
    after: undefined,
  };
  const page = { ...defaults, column: 'created_at' as const, ...search };
  const { sql, parameters } = buildSearch(database, page).compile();
  const plan = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
  const { rows } = await database.executeQuery<{ detail: string }>(plan);
  return rows.map(({ detail }) => detail);
}

const QUERY_PLAN = sqliteOnly(
  'the plans of SQLite depend on the query, those of PostgreSQL on the rows',
);

test(
  'the plan of each query uses an index, and reads no table as a whole',
  QUERY_PLAN,
  async (t) => {
    const after = ['x', 'y'];
    const cases: [search: object, index: RegExp, needsSort: boolean][] = [
      [{}, /design_by_user/, false],
      [{ after }, /design_by_user/, false],
      [{ q: 'x' }, /design_by_user/, false],
      [{ sort: 'updatedAt', column: 'updated_at', after }, /design_by_update/, false],
      [{ sort: '-name', column: 'sort_name', after }, /design_by_name/, false],
      [{ externalId: 'x' }, /design_by_external_id \(user_id=\? AND external_id=\?/, true],
      [{ tag: 'x' }, /SEARCH design_tag .*\(user_id=\? AND tag=\?\)/, true],
      [{ tag: 'x', q: 'y', after }, /SEARCH design_tag .*\(user_id=\? AND tag=\?\)/, true],
    ];
    for (const [search, index, needsSort] of cases) {
      const plan = await explainSearch(t, search);
      const name = `${JSON.stringify(search)}: ${plan.join('; ')}`;
      assert.match(plan[0] ?? '', index, name);
      assert.ok(
        plan.every((step) => !step.startsWith('SCAN')),
        name,
      );
      if (!needsSort) assert.ok(!plan.some((step) => step.includes('TEMP B-TREE')), name);
    }
  },
);

test('a limited token finds only its designs', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service, 'mine');
  await createDesign(service, { name: 'mine too', tags: ['x'] });
  const body = { capabilities: ['read'], type: 'api', user: '~', designs: [id.toUpperCase()] };
  const { token } = (await sendRequest(service, 'POST', '/v1/tokens', body)).json();
  const limited = { ...service, token };
  assert.deepEqual(await searchNames(limited, { q: 'MINE' }), ['mine']);
  assert.deepEqual(await searchNames(limited, { tag: 'x' }), []);
});
