import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Token } from '@cloche/contract/token';
import { openTestServer } from '../../testing/harness.ts';
import { issueToken, SHOP_ORIGIN, sendRequest, UNKNOWN_DESIGN_ID } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const FAIR_ORIGIN = 'https://fair.example';
const ALL = ['read', 'write', 'embed'];
const OTHER_DESIGN_ID = UNKNOWN_DESIGN_ID.replace(/^./, '9');

const limits: [name: string, scope: object][] = [
  ['origins', { origins: [SHOP_ORIGIN, 'https://*.shop.example'] }],
  ['designs', { origins: [], designs: [UNKNOWN_DESIGN_ID] }],
];

/** A token with limits, a token within them, and tokens outside them. */
async function openTokens(t: TestContext, scope: object) {
  const service = await openTestServer(t);
  const limited = await issueToken(service, { capabilities: ALL, ...scope });
  const embed = { origins: ['https://a.shop.example'], designs: [UNKNOWN_DESIGN_ID] };
  const inside = await issueToken(service, embed);
  const outside = [
    await issueToken(service, { capabilities: ALL, origins: [] }),
    await issueToken(service, { origins: [FAIR_ORIGIN] }),
    await issueToken(service, { origins: [SHOP_ORIGIN, FAIR_ORIGIN], designs: [OTHER_DESIGN_ID] }),
  ];
  const asLimited = { app: service.app, token: limited.token };
  return { service, limited, inside, outside, asLimited };
}

for (const [name, scope] of limits) {
  test(`200: a token that is limited to ${name} lists only tokens within its limits`, async (t) => {
    const { asLimited, limited, inside } = await openTokens(t, scope);
    for (const limit of [1, 2, 50]) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const url: string = `/v1/tokens?limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const page = (await sendRequest(asLimited, 'GET', url)).json();
        seen.push(...page.items.map(({ id }: Token) => id));
        cursor = page.nextCursor;
      }
      assert.deepEqual(seen.sort(), [limited.id, inside.id].sort());
    }
  });

  test(`404: a token that is limited to ${name} does not find tokens outside its limits`, async (t) => {
    const { service, asLimited, inside, outside } = await openTokens(t, scope);
    const check = (tokenId: string) =>
      sendRequest(asLimited, 'POST', '/v1/tokens/check', {
        tokenId,
        design: UNKNOWN_DESIGN_ID,
        ancestors: [SHOP_ORIGIN],
      });
    const requests = (id: string) => [
      () => sendRequest(asLimited, 'GET', `/v1/tokens/${id}`),
      () => check(id),
      () => sendRequest(asLimited, 'PATCH', `/v1/tokens/${id}`, { name: 'mine' }),
      () => sendRequest(asLimited, 'POST', `/v1/tokens/${id}/rotate`),
      () => sendRequest(asLimited, 'DELETE', `/v1/tokens/${id}`),
      () => sendRequest(asLimited, 'DELETE', `/v1/tokens/${id}?descendants=true&force=true`),
    ];
    const database = await listTokens(service);
    for (const { id } of outside) {
      for (const send of requests(id)) {
        const response = await send();
        assert.equal(response.statusCode, 404, response.body);
        assert.equal(response.json().code, 'token.not-found');
      }
    }
    const byString = await sendRequest(asLimited, 'POST', '/v1/tokens/check', {
      token: outside[1]?.token,
      design: UNKNOWN_DESIGN_ID,
      ancestors: [SHOP_ORIGIN],
    });
    assert.equal(byString.json().code, 'token.not-found');
    assert.deepEqual(await listTokens(service), database, 'nothing was changed');

    const responses = [];
    for (const send of requests(inside.id)) responses.push((await send()).statusCode);
    assert.deepEqual(responses, [200, 200, 200, 201, 204, 204]);
  });

  test(`204: a token that is limited to ${name} can revoke itself`, async (t) => {
    const { asLimited, limited } = await openTokens(t, scope);
    const response = await sendRequest(asLimited, 'DELETE', `/v1/tokens/${limited.id}`);
    assert.equal(response.statusCode, 204);
    assert.equal((await sendRequest(asLimited, 'GET', '/v1/tokens')).json().code, 'token.revoked');
  });
}

test('403: a limited token cannot revoke descendants that were changed to exceed its limits', async (t) => {
  const service = await openTestServer(t);
  const limited = await issueToken(service, { capabilities: ALL, origins: [SHOP_ORIGIN] });
  const asLimited = { app: service.app, token: limited.token };
  const child = await issueToken(asLimited, { capabilities: ALL });
  const grandchild = await issueToken({ ...asLimited, token: child.token });
  const change = { origins: [SHOP_ORIGIN, FAIR_ORIGIN] };
  await sendRequest(service, 'PATCH', `/v1/tokens/${grandchild.id}`, change);
  const url = `/v1/tokens/${child.id}?descendants=true`;
  const refused = await sendRequest(asLimited, 'DELETE', url);
  assert.equal(refused.statusCode, 403);
  assert.equal(refused.json().code, 'token.scope-exceeded');
  assert.equal(refused.json().field, 'query.descendants');
  for (const { id } of [child, grandchild]) {
    assert.equal((await sendRequest(service, 'GET', `/v1/tokens/${id}`)).statusCode, 200);
  }
  assert.equal((await sendRequest(service, 'DELETE', url)).statusCode, 204);
});

test('200: a page of a limited token reads a limited number of tokens, and the next one continues', async (t) => {
  const { asLimited, service, limited, inside } = await openTokens(t, {
    origins: ['https://*.shop.example'],
  });
  const database = connectToServerDatabase(t, service);
  const { user } = inside;
  const rows = Array.from({ length: 4500 }, (_, i) => {
    const id = `tok_${String(i).padStart(16, '0')}`;
    return `('${id}', '${user}', '', '${i}', '["embed"]', '["${FAIR_ORIGIN}"]', '2999-01-01T00:00:00.000Z')`;
  });
  await database.exec(
    `INSERT INTO token (id, user_id, name, hash, capabilities, origins, created_at) VALUES ${rows}`,
  );
  const pages: Token[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const url: string = `/v1/tokens?limit=1${cursor && `&cursor=${cursor}`}`;
    const page = (await sendRequest(asLimited, 'GET', url)).json();
    pages.push(page.items);
    cursor = page.nextCursor;
  }
  assert.deepEqual(pages.slice(0, 2), [[], []]);
  assert.deepEqual(
    pages.flat().map(({ id }) => id),
    [inside.id, limited.id],
  );
});

async function listTokens(service: Parameters<typeof sendRequest>[0]): Promise<object> {
  const { items } = (await sendRequest(service, 'GET', '/v1/tokens?limit=200')).json();
  return items.map(({ lastUsedAt, usedFrom, ...token }: Token) => token);
}
