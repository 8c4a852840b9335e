import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CreatedToken, Token } from '@cloche/contract/token';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  type TestClient,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * 1000;
const ISSUER = { capabilities: ['read', 'write', 'embed'], origins: [] };

const as = ({ app }: TestClient, { token }: { token: string }): TestClient => ({ app, token });
const rotate = (client: TestClient, id: string, body?: object, headers = {}) =>
  sendRequest(client, 'POST', `/v1/tokens/${id}/rotate`, body, headers);
const read = async (client: TestClient, id: string): Promise<Token> =>
  (await sendRequest(client, 'GET', `/v1/tokens/${id}`)).json();
const list = (client: TestClient) => sendRequest(client, 'GET', '/v1/tokens');

test('201: the successor has the same scope, and both tokens work for 24 hours', async (t) => {
  const service = await openTestServer(t);
  const scope = {
    ...ISSUER,
    name: 'shop',
    origins: [SHOP_ORIGIN],
    designs: ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'],
    expiresAt: '2999-01-01T00:00:00.000Z',
  };
  const old = await issueToken(service, scope);
  const response = await rotate(service, old.id);
  assert.equal(response.statusCode, 201, response.body);
  const successor: CreatedToken = response.json();
  assert.equal(response.headers.location, `/v1/tokens/${successor.id}`);
  assert.match(successor.token, /^cloche_sk_/);
  assert.notEqual(successor.token, old.token);
  const { id, token, createdAt, replaces, ...rest } = successor;
  const { id: oldId, token: _, createdAt: __, replaces: ___, ...oldRest } = old;
  assert.deepEqual(rest, oldRest);
  assert.equal(replaces, oldId);
  assert.equal((await read(service, id)).replaces, oldId);
  const replaced = await read(service, oldId);
  assert.equal(replaced.replacedBy, id);
  const graceMs = Date.parse(replaced.expiresAt ?? '') - Date.parse(createdAt);
  assert.equal(graceMs, 24 * HOUR_MS);

  service.advanceTime(24 * HOUR_MS - 60 * SECOND_MS);
  for (const client of [old, successor]) {
    assert.equal((await list(as(service, client))).statusCode, 200);
  }
  service.advanceTime(61 * SECOND_MS);
  const expired = await list(as(service, old));
  assert.equal(expired.json().code, 'token.expired');
  assert.ok(expired.json().detail.includes(`replaced by ${id}`), expired.json().detail);
  assert.equal((await list(as(service, successor))).statusCode, 200);
});

test('201: embeds with the old token work until the end of the grace period, then with the new one', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const old = await issueToken(service);
  const open = async ({ token }: CreatedToken) => {
    const url = `/embed/iframe/v1/${design.id}?token=${token}`;
    const headers = { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };
    return (await service.app.inject({ url, headers })).statusCode;
  };
  assert.equal(await open(old), 200, 'cached before the rotation');
  const successor = (await rotate(service, old.id, { gracePeriodSeconds: 60 })).json();
  assert.match(successor.token, /^cloche_pk_/);
  assert.deepEqual([await open(old), await open(successor)], [200, 200]);
  service.advanceTime(60 * SECOND_MS);
  assert.deepEqual([await open(old), await open(successor)], [401, 200]);
});

test('201: a token rotates itself; without a grace period it stops at once', async (t) => {
  const service = await openTestServer(t);
  const old = await issueToken(service, ISSUER);
  const successor = (await rotate(as(service, old), old.id, { gracePeriodSeconds: 0 })).json();
  assert.equal(successor.issuedBy, old.id);
  assert.equal((await list(as(service, old))).json().code, 'token.expired');
  assert.equal((await list(as(service, successor))).statusCode, 200);
});

test('201: the grace period ends no later than the token', async (t) => {
  const service = await openTestServer(t);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const old = await issueToken(service, { expiresAt });
  const successor = (await rotate(service, old.id)).json();
  assert.equal((await read(service, old.id)).expiresAt, expiresAt);
  assert.equal(successor.expiresAt, expiresAt);
});

test('201: a retry with the same Idempotency-Key gets the same successor', async (t) => {
  const service = await openTestServer(t);
  const old = await issueToken(service, ISSUER);
  const key = { 'idempotency-key': 'rotation-1' };
  const first = await rotate(as(service, old), old.id, { gracePeriodSeconds: 60 }, key);
  const retry = await rotate(as(service, old), old.id, { gracePeriodSeconds: 60 }, key);
  assert.equal(retry.statusCode, 201);
  assert.equal(retry.body, first.body);
  const other = await rotate(as(service, old), old.id, { gracePeriodSeconds: 61 }, key);
  assert.equal(other.json().code, 'idempotency.reused');
  const { items } = (await list(service)).json();
  assert.equal(items.filter(({ replaces }: Token) => replaces === old.id).length, 1);
});

test('409: a token that was rotated or has expired; 404: one that was revoked', async (t) => {
  const service = await openTestServer(t);
  const rotated = await issueToken(service);
  const successor = (await rotate(service, rotated.id)).json();
  const again = await rotate(service, rotated.id);
  assert.equal(again.statusCode, 409);
  assert.equal(again.json().code, 'token.not-rotatable');
  assert.equal(again.json().reason, 'rotated');
  assert.ok(again.json().detail.includes(successor.id));
  assert.equal((await rotate(service, successor.id)).statusCode, 201);

  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const expired = await issueToken(service, { expiresAt });
  const revoked = await issueToken(service);
  await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
  service.advanceTime(HOUR_MS);
  const afterExpiry = await rotate(service, expired.id);
  assert.equal(afterExpiry.statusCode, 409);
  assert.equal(afterExpiry.json().reason, 'expired');
  const afterRevocation = await rotate(service, revoked.id);
  assert.equal(afterRevocation.statusCode, 404);
  assert.match(afterRevocation.json().detail, /was revoked at/);
  const { items } = (await list(service)).json();
  assert.equal(items.filter(({ replaces }: Token) => replaces !== null).length, 2);
});

test('of ten rotations at the same time, one succeeds', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const responses = await Promise.all(Array.from({ length: 10 }, () => rotate(service, id)));
  assert.equal(responses.filter(({ statusCode }) => statusCode === 201).length, 1);
  assert.equal(responses.filter(({ statusCode }) => statusCode === 409).length, 9);
});

test('403: a token cannot rotate a token with more than its own scope, to get its successor', async (t) => {
  const service = await openTestServer(t);
  const { items } = (await list(service)).json();
  const bootstrap = items[0];
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const rows: [change: object, field: string][] = [
    [{ capabilities: ['write'] }, 'capabilities'],
    [{ expiresAt }, 'expiresAt'],
  ];
  for (const [change, field] of rows) {
    const caller = as(service, await issueToken(service, { ...ISSUER, ...change }));
    const response = await rotate(caller, bootstrap.id);
    assert.equal(response.statusCode, 403, response.body);
    assert.equal(response.json().code, 'token.scope-exceeded');
    assert.equal(response.json().field, field);
  }
  assert.equal((await read(service, bootstrap.id)).replacedBy, null);
});

test('401: the successor is a descendant of the token that it was given to', async (t) => {
  const service = await openTestServer(t);
  const leaked = await issueToken(service, ISSUER);
  const target = await issueToken(service, ISSUER);
  const stolen = (await rotate(as(service, leaked), target.id)).json();
  assert.equal(stolen.issuedBy, leaked.id);
  await sendRequest(service, 'DELETE', `/v1/tokens/${leaked.id}?descendants=true`);
  assert.equal((await list(as(service, stolen))).json().code, 'token.revoked');
  assert.equal((await list(as(service, target))).statusCode, 200);
});

const invalidBodies: [body: object | string, field: string][] = [
  [{ gracePeriodSeconds: -1 }, 'gracePeriodSeconds'],
  [{ gracePeriodSeconds: 2_592_001 }, 'gracePeriodSeconds'],
  [{ gracePeriodSeconds: 1.5 }, 'gracePeriodSeconds'],
  [{ gracePeriodSeconds: '60' }, 'gracePeriodSeconds'],
  [{ gracePeriodSeconds: null }, 'gracePeriodSeconds'],
  [{ gracePeriod: 60 }, 'gracePeriod'],
  [[], 'body'],
];

test('400: an invalid body; 201: an empty one', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  for (const [body, field] of invalidBodies) {
    const response = await rotate(service, id, body as object);
    assert.equal(response.statusCode, 400, JSON.stringify(body));
    assert.equal(response.json().field, field, response.body);
  }
  assert.equal((await read(service, id)).replacedBy, null);
  assert.equal((await rotate(service, id, {})).statusCode, 201);
});

test('500: nothing is stored if the response cannot be sent', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const database = connectToServerDatabase(t, service);
  const readRows = () => database.all('SELECT * FROM token');
  const before = await readRows();
  service.advanceTime(8000 * 366 * 24 * HOUR_MS);
  assert.equal((await rotate(service, id)).statusCode, 500);
  assert.deepEqual(await readRows(), before);
});
