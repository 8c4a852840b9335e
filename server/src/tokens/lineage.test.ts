import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CreatedToken, Token } from '@cloche/contract/token';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { issueToken, SHOP_ORIGIN, sendRequest, type TestClient } from '../../testing/requests.ts';
import { connectToServerDatabase, openTestDatabase } from '../../testing/test-database.ts';
import { createInitialUser } from '../startup/bootstrap-token.ts';
import { createToken, type NewToken } from './token.ts';
import { TokenStore } from './token-store.ts';

const ISSUER = { capabilities: ['read', 'write', 'embed'], origins: [] };
const HOUR_MS = 60 * 60 * 1000;

const as = ({ app }: TestClient, { token }: CreatedToken): TestClient => ({ app, token });
const remove = (client: TestClient, { id }: { id: string }, query = '') =>
  sendRequest(client, 'DELETE', `/v1/tokens/${id}${query}`);

async function readBootstrapToken(service: TestServer): Promise<Token> {
  return (await sendRequest(service, 'GET', '/v1/tokens?limit=200')).json().items.at(-1);
}

/** Whether each token works. */
async function listActive(service: TestServer, tokens: readonly CreatedToken[]) {
  const active: boolean[] = [];
  for (const token of tokens) {
    const { statusCode, body } = await sendRequest(as(service, token), 'GET', '/v1/tokens');
    assert.ok(statusCode !== 401 || JSON.parse(body).code === 'token.revoked', body);
    active.push(statusCode !== 401);
  }
  return active;
}

/** The bootstrap token creates `child` and `other`; `child` creates a public token and `grandchild`, and so on. */
async function openTree(t: TestContext) {
  const service = await openTestServer(t);
  const child = await issueToken(service, ISSUER);
  const publicToken = await issueToken(as(service, child));
  const grandchild = await issueToken(as(service, child), ISSUER);
  const leaf = await issueToken(as(service, grandchild), { ...ISSUER, capabilities: ['read'] });
  const other = await issueToken(service, ISSUER);
  return { service, child, publicToken, grandchild, leaf, other };
}

test('200: a token names its parent, and a list shows the tokens of one parent', async (t) => {
  const { service, child, publicToken, grandchild, leaf, other } = await openTree(t);
  const bootstrap = await readBootstrapToken(service);
  const list = async (query: string): Promise<string[]> => {
    const { items } = (await sendRequest(service, 'GET', `/v1/tokens?${query}`)).json();
    return items.map(({ id }: Token) => id).sort();
  };
  const rows: [parent: { id: string }, children: CreatedToken[]][] = [
    [bootstrap, [child, other]],
    [child, [publicToken, grandchild]],
    [grandchild, [leaf]],
    [leaf, []],
  ];
  for (const [{ id }, children] of rows) {
    for (const { issuedBy } of children) assert.equal(issuedBy, id);
    assert.deepEqual(await list(`issuedBy=${id}`), children.map((token) => token.id).sort());
  }
  assert.equal((await list(`issuedBy=${child.id}&limit=1`)).length, 1);
  await remove(service, child);
  assert.equal((await list(`issuedBy=${child.id}`)).length, 2, 'also of a revoked parent');
  const invalid = await sendRequest(service, 'GET', `/v1/tokens?issuedBy=${leaf.token}`);
  assert.equal(invalid.statusCode, 400);
  assert.equal(invalid.json().field, 'query.issuedBy');
});

test('200: a list of all descendants, also below a revoked token', async (t) => {
  const { service, child, publicToken, grandchild, leaf } = await openTree(t);
  const list = async (query: string): Promise<string[]> => {
    const { items } = (await sendRequest(service, 'GET', `/v1/tokens?${query}`)).json();
    return items.map(({ id }: Token) => id).sort();
  };
  const toIds = (...tokens: CreatedToken[]) => tokens.map(({ id }) => id).sort();
  assert.deepEqual(await list(`ancestor=${child.id}`), toIds(publicToken, grandchild, leaf));
  assert.deepEqual(await list(`ancestor=${leaf.id}`), []);
  await remove(service, grandchild);
  assert.deepEqual(await list(`ancestor=${child.id}`), toIds(publicToken, leaf));
  const invalid = await sendRequest(service, 'GET', '/v1/tokens?ancestor=x');
  assert.equal(invalid.json().field, 'query.ancestor');
});

test('204: without descendants, only the token is revoked', async (t) => {
  const { service, child, ...tree } = await openTree(t);
  assert.equal((await remove(service, child)).statusCode, 204);
  const tokens = [child, tree.publicToken, tree.grandchild, tree.leaf, tree.other];
  assert.deepEqual(await listActive(service, tokens), [false, true, true, true, true]);
});

test('204: with descendants, the whole tree is revoked at once, also below a revoked token', async (t) => {
  const { service, child, ...tree } = await openTree(t);
  const tokens = [child, tree.publicToken, tree.grandchild, tree.leaf, tree.other];
  await remove(service, tree.grandchild);
  // Each token was used, so each is cached.
  assert.deepEqual(await listActive(service, tokens), [true, true, false, true, true]);
  assert.equal((await remove(service, child, '?descendants=true')).statusCode, 204);
  assert.deepEqual(await listActive(service, tokens), [false, false, false, false, true]);
  const again = await remove(service, child, '?descendants=true');
  assert.equal(again.statusCode, 204, 'revoking twice');
});

test('204: a token can revoke itself with its descendants', async (t) => {
  const { service, child, ...tree } = await openTree(t);
  await remove(as(service, child), child, '?descendants=true');
  const tokens = [child, tree.publicToken, tree.grandchild, tree.leaf, tree.other];
  assert.deepEqual(await listActive(service, tokens), [false, false, false, false, true]);
});

test('204: a tree of 1200 tokens is revoked', async (t) => {
  const { service, child } = await openTree(t);
  const database = connectToServerDatabase(t, service);
  const rows = Array.from({ length: 1200 }, (_, i) => {
    const parent = i === 0 ? child.id : `tok_${i - 1}`;
    return `('tok_${i}', '${child.user}', '', '${i}', '["read"]', '[]', '2026-01-01T00:00:00.000Z', '${parent}')`;
  });
  await database.exec(
    `INSERT INTO token (id, user_id, name, hash, capabilities, origins, created_at, issued_by) VALUES ${rows}`,
  );
  assert.equal((await remove(service, child, '?descendants=true')).statusCode, 204);
  const { count } = (await database.get(
    "SELECT count(*) AS count FROM token WHERE revoked_at IS NULL AND name = ''",
  )) as { count: number };
  assert.equal(count, 1, 'only the other child of the bootstrap token remains');
});

test('401: a parent that was revoked while it created a token has no new child', async (t) => {
  const database = await openTestDatabase(t);
  await createInitialUser(database, new Date(), async () => {});
  const { id: user } = await database.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const tokens = new TokenStore(database);
  const scope = { capabilities: ['write'] as const, origins: [], designs: undefined };
  const newToken: NewToken = { ...scope, user, name: '', expiresAt: undefined };
  const { token: parent } = createToken(newToken, new Date());
  const { token: child } = createToken({ ...newToken, issuedBy: parent.id }, new Date());
  await database.transaction().execute((trx) => tokens.add(parent, trx));
  await database.transaction().execute((trx) => tokens.revoke([parent.id], new Date(), trx));
  const adding = database.transaction().execute((trx) => tokens.add(child, trx));
  await assert.rejects(adding, { code: 'token.revoked' });
  assert.equal(await tokens.find(child.id), undefined);
});

const otherTokens: [name: string, change: object, canIssue: boolean][] = [
  ['with write', { capabilities: ['write'] }, true],
  ['with write, and an expiry', { expiresAt: new Date(Date.now() + HOUR_MS).toISOString() }, true],
  ['limited to origins', { origins: [SHOP_ORIGIN] }, false],
  ['limited to designs', { designs: ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'] }, false],
  ['without write', { capabilities: ['read', 'embed'] }, false],
];

for (const [name, change, canIssue] of otherTokens) {
  test(`${canIssue ? 204 : 409}: revoking the bootstrap token, if the only other token is one ${name}`, async (t) => {
    const service = await openTestServer(t);
    const bootstrap = await readBootstrapToken(service);
    await issueToken(service, { ...ISSUER, ...change });
    const response = await remove(service, bootstrap);
    assert.equal(response.statusCode, canIssue ? 204 : 409, response.body);
    if (!canIssue) assert.equal(response.json().code, 'token.last-issuer');
  });
}

test('409: the last token that can create others is revoked with force only', async (t) => {
  const service = await openTestServer(t);
  const bootstrap = await readBootstrapToken(service);
  const revoked = await issueToken(service, ISSUER);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const expired = await issueToken(service, { ...ISSUER, expiresAt });
  const publicToken = await issueToken(service);
  await remove(service, revoked);
  service.advanceTime(HOUR_MS);
  for (const query of ['', '?descendants=true', '?force=false']) {
    const refused = await remove(service, bootstrap, query);
    assert.equal(refused.statusCode, 409, query);
    assert.equal(refused.json().code, 'token.last-issuer');
  }
  assert.equal((await sendRequest(service, 'GET', '/v1/tokens')).statusCode, 200, 'not revoked');
  const [active] = await listActive(service, [publicToken]);
  assert.ok(active, 'its descendants are not revoked either');
  assert.equal((await remove(service, expired)).statusCode, 204, 'an expired token can issue none');
  assert.equal((await remove(service, bootstrap, '?force=true')).statusCode, 204);
  assert.equal((await sendRequest(service, 'GET', '/v1/tokens')).json().code, 'token.revoked');
});

test('of two tokens that revoke each other at the same time, one remains', async (t) => {
  const service = await openTestServer(t);
  const bootstrap = await readBootstrapToken(service);
  const other = await issueToken(service, ISSUER);
  await listActive(service, [other]);
  const responses = await Promise.all([
    remove(service, other),
    remove(as(service, other), bootstrap),
  ]);
  const [first = 0, second = 0] = responses.map(({ statusCode }) => statusCode).sort();
  assert.equal(first, 204);
  assert.ok([401, 409].includes(second), `${second}`);
  const active = await listActive(service, [other, { ...other, token: service.token }]);
  assert.deepEqual(active.sort(), [false, true]);
});

test('400: force is true or false', async (t) => {
  const service = await openTestServer(t);
  const bootstrap = await readBootstrapToken(service);
  for (const query of ['force=1', 'force=', 'force=yes', 'force=true&force=true', 'Force=true']) {
    const response = await remove(service, bootstrap, `?${query}`);
    assert.equal(response.statusCode, 400, query);
  }
});
