import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type InsertQueryNode, ValuesNode } from 'kysely';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase, openTestDatabase } from '../../testing/test-database.ts';
import { createInitialUser } from '../startup/bootstrap-token.ts';
import type { TokenRecord } from './token.ts';
import { TokenStore } from './token-store.ts';
import type { OriginUse } from './token-usage-store.ts';

test('the last use of a token for the API or an embed is recorded, and written to the database at shutdown', async (t) => {
  // Otherwise written every few seconds.
  t.mock.timers.enable({ apis: ['setInterval'] });
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
  const embed = await issueToken(service);
  service.advanceTime(60_000);
  await sendRequest({ ...service, token: reader.token }, 'GET', '/v1/designs');
  await service.app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${embed.token}`,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  for (const { id, createdAt } of [reader, embed]) {
    const { lastUsedAt } = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
    assert.ok(Date.parse(lastUsedAt) - Date.parse(createdAt) >= 60_000, lastUsedAt);
  }
  const database = connectToServerDatabase(t, service);
  const readLastUse = async () =>
    (await database.get('SELECT last_used_at FROM token WHERE id = ?', embed.id))?.last_used_at;
  assert.equal(await readLastUse(), null, 'not written with each request');
  await service.app.close();
  assert.notEqual(await readLastUse(), null);
});

/** Opens an embed with a public token, in a page of `origin`. */
async function openEmbed(t: TestContext, origins: string[]) {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const embed = await issueToken(service, { origins });
  const open = (referer: string | undefined, token = embed.token) =>
    service.app.inject({
      url: `/embed/iframe/v1/${design.id}?token=${token}`,
      headers: { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', ...(referer && { referer }) },
    });
  const readUsedFrom = async (id = embed.id): Promise<string[]> => {
    const { usedFrom } = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
    return usedFrom.map(({ origin }: OriginUse) => origin);
  };
  return { service, embed, open, readUsedFrom };
}

const FAIR_ORIGIN = 'https://fair.example';
const EVIL_ORIGIN = 'https://evil.example';

test('the origins that use a token are recorded, latest first, and written at shutdown', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { service, embed, open, readUsedFrom } = await openEmbed(t, [SHOP_ORIGIN, FAIR_ORIGIN]);
  assert.deepEqual(await readUsedFrom(), []);
  for (const origin of [SHOP_ORIGIN, FAIR_ORIGIN, EVIL_ORIGIN]) {
    service.advanceTime(1000);
    await open(`${origin}/page?id=1`);
  }
  assert.deepEqual(await readUsedFrom(), [FAIR_ORIGIN, SHOP_ORIGIN]);
  service.advanceTime(1000);
  await open(`${SHOP_ORIGIN}/`);
  await open(undefined);
  const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  const listed = items.find(({ id }: { id: string }) => id === embed.id);
  assert.deepEqual(
    listed.usedFrom.map(({ origin }: OriginUse) => origin),
    [SHOP_ORIGIN, FAIR_ORIGIN],
  );
  const database = connectToServerDatabase(t, service);
  const readRows = () => database.all('SELECT * FROM token_origin ORDER BY last_used_at');
  assert.deepEqual(await readRows(), [], 'not written with each request');
  await service.app.close();
  assert.deepEqual(
    (await readRows()).map(({ origin }) => origin),
    [FAIR_ORIGIN, SHOP_ORIGIN],
  );
  const { app } = await openTestServer(t, { dataDirectory: service.dataDirectory });
  const read = await sendRequest({ ...service, app }, 'GET', `/v1/tokens/${embed.id}`);
  assert.deepEqual(read.json().usedFrom, listed.usedFrom);
});

test('after a rotation, the old token shows which origins still use it', async (t) => {
  const { service, embed, open, readUsedFrom } = await openEmbed(t, [SHOP_ORIGIN, FAIR_ORIGIN]);
  await open(`${SHOP_ORIGIN}/`);
  await open(`${FAIR_ORIGIN}/`);
  assert.equal((await readUsedFrom()).length, 2);
  service.advanceTime(1000);
  const rotation = await sendRequest(service, 'POST', `/v1/tokens/${embed.id}/rotate`);
  const successor = rotation.json();
  assert.deepEqual(await readUsedFrom(), []);
  service.advanceTime(1000);
  await open(`${SHOP_ORIGIN}/`, successor.token);
  await open(`${FAIR_ORIGIN}/`);
  assert.deepEqual(await readUsedFrom(), [FAIR_ORIGIN]);
  assert.deepEqual(await readUsedFrom(successor.id), [SHOP_ORIGIN]);
});

test('the origins of API requests are recorded, but not those that are refused', async (t) => {
  const service = await openTestServer(t);
  const { id, token } = await issueToken(service, { capabilities: ['read'] });
  for (const origin of [SHOP_ORIGIN, EVIL_ORIGIN])
    await sendRequest({ ...service, token }, 'GET', '/v1/designs', undefined, { origin });
  const { usedFrom } = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
  assert.deepEqual(
    usedFrom.map(({ origin }: OriginUse) => origin),
    [SHOP_ORIGIN],
  );
});

test('the latest 50 origins of a token are kept, in memory and in the database', async (t) => {
  const database = await openTestDatabase(t);
  await createInitialUser(database, new Date(), async () => {});
  const { id } = await database.selectFrom('token').select('id').executeTakeFirstOrThrow();
  let insertedRows = 0;
  const counted = database.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'InsertQueryNode') insertedRows += countValues(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const tokens = new TokenStore(counted);
  const token = (await tokens.findById(id)) as TokenRecord;
  const toOrigin = (index: number) => `https://s${index}.shop.example`;
  const record = (index: number) =>
    tokens.usage.recordUse(id, new Date(Date.now() + index * 1000), toOrigin(index));
  const readUsedFrom = async () =>
    (await tokens.usage.addUsageTo(token)).usedFrom.map(({ origin }) => origin);
  const listLatest = (last: number) => Array.from({ length: 50 }, (_, i) => toOrigin(last - i));

  for (let index = 0; index < 60; index += 1) record(index);
  // A forged Referer may have a very long host name.
  tokens.usage.recordUse(id, new Date(), `https://${'a'.repeat(5000)}.shop.example`);
  assert.deepEqual(await readUsedFrom(), listLatest(59));
  await tokens.usage.flush();
  assert.equal(insertedRows, 50, 'the others were not kept in memory');
  for (let index = 60; index < 70; index += 1) record(index);
  assert.deepEqual(await readUsedFrom(), listLatest(69));
  await tokens.usage.flush();
  assert.deepEqual(await readUsedFrom(), listLatest(69));
  assert.equal((await database.selectFrom('token_origin').selectAll().execute()).length, 50);
  await database
    .updateTable('token_origin')
    .set({ last_used_at: 'yesterday' })
    .where('origin', '=', toOrigin(69))
    .execute();
  assert.deepEqual(await readUsedFrom(), listLatest(68).slice(0, 49), 'a damaged row is skipped');
});

function countValues({ values }: InsertQueryNode): number {
  return values !== undefined && ValuesNode.is(values) ? values.values.length : 0;
}
