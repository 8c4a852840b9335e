import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Token } from '@cloche/contract/token';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { generateTokenString, hashTokenString } from './token-string.ts';

/** Values that the service never writes, by column. */
const damages: [column: string, value: string][] = [
  // What `9999-12-31T23:59:59-14:00` was stored as.
  ['expires_at', '+010000-01-01T13:59:59.000Z'],
  ['expires_at', '9999-12-31T23:59:59-14:00'],
  ['expires_at', 'never'],
  ['created_at', '2026'],
  ['created_at', ''],
  ['created_at', 'x'.repeat(100)],
  ['last_used_at', '2027-02-30T00:00:00.000Z'],
  ['seen_in_browser_at', 'yes'],
  ['capabilities', '["admin"]'],
  ['capabilities', '[]'],
  ['capabilities', 'embed'],
  ['origins', '["*"]'],
  ['origins', '["https://shop.example;x"]'],
  ['origins', '{}'],
  ['designs', '"all"'],
  ['designs', '[1]'],
];

/** Inserts a row with one damaged column. */
async function openDamaged(
  t: TestContext,
  column: string,
  value: string,
  kind: 'public' | 'secret',
) {
  const service = await openTestServer(t);
  const others = [await issueToken(service), await issueToken(service)];
  const { user } = others[0] as Token & { token: string };
  const id = 'tok_damaged000000000';
  const token = generateTokenString(kind);
  const row: Record<string, string | null> = {
    id,
    user_id: user,
    name: 'damaged',
    hash: hashTokenString(token),
    capabilities: kind === 'public' ? '["embed"]' : '["read","write"]',
    origins: kind === 'public' ? `["${SHOP_ORIGIN}"]` : '[]',
    designs: null,
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: null,
    last_used_at: null,
    seen_in_browser_at: null,
    [column]: value,
  };
  const names = Object.keys(row);
  const database = connectToServerDatabase(t, service);
  await database.all(
    `INSERT INTO token (${names}) VALUES (${names.map(() => '?')})`,
    ...Object.values(row),
  );
  return { service, others, id, token, database };
}

for (const [column, value] of damages) {
  test(`a row with the ${column} ${value.slice(0, 30)} hides no other, and can be revoked`, async (t) => {
    const { service, others, id, token, database } = await openDamaged(t, column, value, 'secret');
    for (const limit of [1, 2, 50]) {
      const items: string[] = [];
      const unreadable: object[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const url: string = `/v1/tokens?limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const response = await sendRequest(service, 'GET', url);
        assert.equal(response.statusCode, 200, response.body);
        const page = response.json();
        items.push(...page.items.map((item: Token) => item.id));
        unreadable.push(...page.unreadable);
        cursor = page.nextCursor;
      }
      assert.equal(items.length, 3, 'the bootstrap token and the two others');
      for (const other of others) assert.ok(items.includes(other.id));
      const detail = `The token is damaged in the database: its ${column} is not valid.`;
      assert.deepEqual(unreadable, [{ id, name: 'damaged', detail }]);
    }
    const read = await sendRequest(service, 'GET', `/v1/tokens/${id}`);
    assert.equal(read.statusCode, 500);
    assert.equal(read.json().code, 'server.damaged');
    assert.ok(read.json().detail.includes(id));
    for (const path of ['', '/rotate'] as const) {
      const method = path === '' ? 'PATCH' : 'POST';
      const body = path === '' ? { name: 'x' } : undefined;
      const change = await sendRequest(service, method, `/v1/tokens/${id}${path}`, body);
      assert.equal(change.json().code, 'server.damaged');
    }
    const use = await sendRequest({ ...service, token }, 'GET', '/v1/tokens');
    assert.equal(use.json().code, 'server.damaged', 'a damaged token cannot be used');

    assert.equal((await sendRequest(service, 'DELETE', `/v1/tokens/${id}`)).statusCode, 204);
    const row = await database.get('SELECT revoked_at FROM token WHERE id = ?', id);
    assert.notEqual(row?.revoked_at, null);
    const after = (await sendRequest(service, 'GET', '/v1/tokens')).json();
    assert.deepEqual(after.unreadable, []);
  });
}

test('a damaged public token shows no design, and its page names neither token nor column', async (t) => {
  const { service, token, id } = await openDamaged(t, 'origins', '["*"]', 'public');
  const design = await uploadTestDesign(service);
  const response = await service.app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${token}`,
    headers: { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` },
  });
  assert.equal(response.statusCode, 500);
  assert.ok(response.body.includes('server.damaged'));
  assert.ok(!response.body.includes(id));
  assert.ok(!response.body.includes('origins is not valid'));
});

test('a damaged row is revoked with the tree that it belongs to', async (t) => {
  const { service, id, others, database } = await openDamaged(t, 'origins', '*', 'secret');
  const [parent] = others;
  await database.all('UPDATE token SET issued_by = ? WHERE id = ?', parent?.id ?? '', id);
  const url = `/v1/tokens/${parent?.id}?descendants=true`;
  assert.equal((await sendRequest(service, 'DELETE', url)).statusCode, 204);
  const row = await database.get('SELECT revoked_at FROM token WHERE id = ?', id);
  assert.notEqual(row?.revoked_at, null);
});
