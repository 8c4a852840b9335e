import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompiledQuery, sql } from 'kysely';
import { openTestDatabase } from '../../testing/test-database.ts';
import type { Database } from '../database/database.ts';
import { isPostgres } from '../database/locks.ts';
import { EmbedUsageStore } from './embed-usage-store.ts';

const TOKEN = 'tok_3kTMd9Qx0aZ1bY2c';
const DESIGN = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const NOW = new Date('2026-05-04T23:59:59.999Z');
const ALL = { tokenIds: [TOKEN], from: undefined, to: undefined };
const toOrigin = (index: number) => `https://s${index}.shop.example`;
const use = (index: number, designId = DESIGN) => ({
  tokenId: TOKEN,
  designId,
  origin: toOrigin(index),
});
/** Adds the queries for the origins of a token to the list. */
function recordOriginQueries(database: Database, queries: CompiledQuery[]): Database {
  return database.withPlugin({
    transformQuery({ node, queryId }) {
      const query = database.getExecutor().compileQuery(node, queryId);
      if (/^select distinct|^with recursive/i.test(query.sql.trim())) queries.push(query);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

const list = (store: EmbedUsageStore, by: 'origin' | 'day' | 'design') =>
  store.list({ ...ALL, by: [by] }, 5000, undefined);

test('1,001 origins: the first 1,000 are counted separately, also by several nodes and after a restart', async (t) => {
  const database = await openTestDatabase(t);
  const nodes = [new EmbedUsageStore(database), new EmbedUsageStore(database)] as const;
  for (let index = 0; index < 1001; index += 1) nodes[index % 2]?.recordView(use(index), NOW);
  nodes[0].recordView({ tokenId: TOKEN, designId: DESIGN, origin: undefined }, NOW);
  await Promise.all(nodes.map((node) => node.flush()));
  const restarted = new EmbedUsageStore(database);
  for (const node of [...nodes, restarted]) {
    for (let index = 995; index < 1200; index += 1) node.recordView(use(index), NOW);
    await node.flush();
  }
  const groups = await list(restarted, 'origin');
  const origins = groups.filter(({ origin }) => origin?.startsWith('https:'));
  assert.equal(origins.length, 1000);
  const sum = groups.reduce((total, { views }) => total + views, 0);
  assert.equal(sum, 1001 + 1 + 3 * 205, 'no view is lost');
  const other = groups.find(({ origin }) => origin === 'other');
  assert.ok((other?.views ?? 0) >= 1 + 3 * 199, 'the others are counted together');
  assert.equal(groups.find(({ origin }) => origin === 'unknown')?.views, 1);
});

test('an unlimited number of origins within a flush takes memory for 1,000', async (t) => {
  const database = await openTestDatabase(t);
  const store = new EmbedUsageStore(database);
  for (let index = 0; index < 3000; index += 1) store.recordView(use(index), NOW);
  await store.flush();
  const groups = await list(store, 'origin');
  assert.equal(groups.length, 1001);
  assert.equal(groups.find(({ origin }) => origin === 'other')?.views, 2000);
});

test('two nodes that write the same rows at the same time add up, and do not deadlock', async (t) => {
  const database = await openTestDatabase(t);
  let insertCount = 0;
  const counted = database.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'InsertQueryNode') insertCount += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const nodes = [new EmbedUsageStore(counted), new EmbedUsageStore(counted)] as const;
  const ROUNDS = 20;
  const KEYS = 300;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let index = 0; index < KEYS; index += 1) {
      nodes[0].recordView(use(index), NOW);
      nodes[1].recordBytes(use(KEYS - 1 - index), 7, NOW);
    }
    await Promise.all(nodes.map((node) => node.flush()));
  }
  assert.equal(insertCount, 2 * ROUNDS, 'a transaction that is ended by a deadlock runs again');
  const groups = await list(nodes[0], 'origin');
  assert.equal(groups.length, KEYS);
  for (const { views, bytes } of groups) assert.deepEqual([views, bytes], [ROUNDS, 7 * ROUNDS]);
});

test('a day ends at midnight UTC, and the first and the last time are kept', async (t) => {
  const database = await openTestDatabase(t);
  const store = new EmbedUsageStore(database);
  const next = new Date(NOW.getTime() + 1);
  const earlier = new Date('2026-05-04T00:00:00.000Z');
  for (const time of [NOW, next, earlier]) {
    store.recordView(use(1), time);
    await store.flush();
  }
  const days = (await list(store, 'day')).map((group) => [
    group.day,
    group.views,
    group.first_seen_at,
    group.last_seen_at,
  ]);
  assert.deepEqual(days, [
    ['2026-05-04', 2, earlier.toISOString(), NOW.toISOString()],
    ['2026-05-05', 1, next.toISOString(), next.toISOString()],
  ]);
});

test('counts of a flush that fails are written by the next one', async (t) => {
  const database = await openTestDatabase(t);
  let fails = true;
  const failing = database.withPlugin({
    transformQuery({ node }) {
      if (fails && node.kind === 'InsertQueryNode') throw new Error('The disk is full.');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const store = new EmbedUsageStore(failing);
  store.recordView(use(1), NOW);
  await assert.rejects(store.flush(), /full/);
  store.recordView(use(1), NOW);
  store.recordBytes(use(1), 5, NOW);
  await assert.rejects(store.flush(), /full/);
  fails = false;
  await Promise.all([store.flush(), store.flush()]);
  const [group] = await list(store, 'day');
  assert.deepEqual([group?.views, group?.bytes], [2, 5]);
});

test('a flush is one statement, whatever the number of requests, and none if there is nothing to write', async (t) => {
  const database = await openTestDatabase(t);
  const inserts: number[] = [];
  const counted = database.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'InsertQueryNode') inserts.push(1);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const store = new EmbedUsageStore(counted);
  await store.flush();
  assert.deepEqual(inserts, []);
  for (let index = 0; index < 1000; index += 1) store.recordView(use(index % 50), NOW);
  await store.flush();
  await store.flush();
  assert.deepEqual(inserts, [1]);
  assert.equal((await list(store, 'day'))[0]?.views, 1000);
});

test('only a flush with new origins, or with more rows than a statement may have, needs a transaction', async (t) => {
  const database = await openTestDatabase(t);
  const transaction = t.mock.method(database, 'transaction');
  const store = new EmbedUsageStore(database);
  const flush = async () => {
    await store.flush();
    return transaction.mock.callCount();
  };
  store.recordView(use(0), NOW);
  assert.equal(await flush(), 1);
  for (let index = 0; index < 1000; index += 1) store.recordView(use(0, `design ${index}`), NOW);
  assert.equal(await flush(), 1);
  for (let index = 0; index < 1001; index += 1) store.recordView(use(0, `design ${index}`), NOW);
  assert.equal(await flush(), 2);
  store.recordView(use(1), NOW);
  assert.equal(await flush(), 3);
  assert.deepEqual(
    (await list(store, 'origin')).map(({ origin, views }) => [origin, views]),
    [
      [toOrigin(0), 2002],
      [toOrigin(1), 1],
    ],
  );
});

test('days older than 400 are deleted, and their origins make room for others', async (t) => {
  const database = await openTestDatabase(t);
  const store = new EmbedUsageStore(database);
  const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000);
  for (let index = 0; index < 999; index += 1) store.recordView(use(index), daysAgo(401));
  store.recordView(use(999), daysAgo(400));
  await store.flush();
  await store.deleteOld(NOW);
  assert.deepEqual(
    (await list(store, 'origin')).map(({ origin }) => origin),
    [toOrigin(999)],
  );
  for (let index = 2000; index < 2999; index += 1) store.recordView(use(index), NOW);
  await store.flush();
  assert.equal((await list(store, 'origin')).length, 1000);
});

test('the origins of a token are found one by one in the index, whatever the number of its rows', async (t) => {
  const database = await openTestDatabase(t);
  const queries: CompiledQuery[] = [];
  const designs = Array.from({ length: 40 }, (_, index) => `${DESIGN.slice(0, -2)}${10 + index}`);
  const first = new EmbedUsageStore(database);
  for (let index = 0; index < 500; index += 1)
    for (const design of designs) first.recordView(use(index, design), NOW);
  await first.flush();
  if (isPostgres(database)) await sql`ANALYZE embed_usage`.execute(database);

  const store = new EmbedUsageStore(recordOriginQueries(database, queries));
  store.recordView(use(1), NOW);
  await store.flush();
  const [query] = queries;
  assert.ok(query);
  const { rows } = await database.executeQuery(query);
  assert.equal(rows.length, 500);
  const explain = isPostgres(database) ? 'EXPLAIN (ANALYZE)' : 'EXPLAIN QUERY PLAN';
  const plan = await database.executeQuery({ ...query, sql: `${explain} ${query.sql}` });
  assert.match(JSON.stringify(plan.rows), /token_id ?= ?.*origin ?> ?/);
  assert.doesNotMatch(JSON.stringify(plan.rows), /Seq Scan|SCAN embed_usage/);
});

test('after old days were deleted, no origins are read again unless a token had no room', async (t) => {
  const database = await openTestDatabase(t);
  const queries: CompiledQuery[] = [];
  const store = new EmbedUsageStore(recordOriginQueries(database, queries));
  store.recordView(use(1), NOW);
  await store.flush();
  assert.equal(queries.length, 1);
  await store.deleteOld(NOW);
  store.recordView(use(1), NOW);
  await store.flush();
  assert.equal(queries.length, 1);
  store.recordView(use(2), NOW);
  await store.flush();
  assert.equal(queries.length, 2);
});

test('the origins of thousands of tokens are known without a query', async (t) => {
  const database = await openTestDatabase(t);
  const queries: CompiledQuery[] = [];
  const store = new EmbedUsageStore(recordOriginQueries(database, queries));
  const TOKENS = 1000;
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < TOKENS; index += 1)
      store.recordView({ ...use(1), tokenId: `tok_${index}` }, NOW);
    await store.flush();
  }
  assert.equal(queries.length, TOKENS);
});

test('the usage of more tokens than a query may have parameters is listed', async (t) => {
  const store = new EmbedUsageStore(await openTestDatabase(t));
  const tokenIds = Array.from({ length: 70_000 }, (_, index) => `tok_${index}`);
  for (const tokenId of [tokenIds[0], tokenIds.at(-1), TOKEN])
    store.recordView({ ...use(0), tokenId: tokenId ?? '' }, NOW);
  await store.flush();
  const groups = await store.list({ ...ALL, tokenIds, by: ['origin'] }, 5, undefined);
  assert.deepEqual(
    groups.map(({ origin, views }) => [origin, views]),
    [[toOrigin(0), 2]],
  );
});
