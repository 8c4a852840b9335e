import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const ALL = { capabilities: ['read', 'write', 'embed'], origins: [] };
const MINUTE_MS = 60_000;

test('a user is added, signs in with its link, stores a design, and is listed with it', async (t) => {
  const service = await openTestServer(t);
  const created = await sendRequest(service, 'POST', '/v1/users', { name: 'anna' });
  assert.equal(created.statusCode, 201, created.body);
  const { signInLink, ...user } = created.json();
  assert.deepEqual(
    [user.name, user.operator, user.active, user.designs, user.storedBytes, user.limits],
    ['anna', false, true, 0, 0, { bytes: null, designs: null }],
  );
  const code = signInLink.url.split('#sign-in=')[1];
  const headers = { origin: service.origin, 'sec-fetch-site': 'same-origin' };
  const sign = () => sendRequest(service, 'POST', '/v1/sessions/from-link', { code }, headers);
  const signedIn = await sign();
  assert.deepEqual([signedIn.statusCode, signedIn.json().user], [200, user.id], signedIn.body);
  assert.equal((await sign()).json().code, 'session.link', 'once only');

  const { token } = await issueToken(service, { ...ALL, user: 'anna' });
  const bytes = makeBox();
  await uploadTestDesign({ ...service, token }, 'Oak chair', bytes);
  service.advanceTime(MINUTE_MS);
  const { items } = (await sendRequest(service, 'GET', '/v1/users')).json();
  assert.deepEqual(
    items.map((item: Record<string, unknown>) => [item.name, item.designs, item.storedBytes]),
    [
      ['anna', 1, bytes.length],
      ['operator', 0, 0],
    ],
  );
});

test('users are listed in pages, and a cursor is valid for this list only', async (t) => {
  const service = await openTestServer(t);
  for (const name of ['a', 'b', 'c'])
    assert.equal((await sendRequest(service, 'POST', '/v1/users', { name })).statusCode, 201);
  const names: string[] = [];
  let cursor = '';
  for (let page = 0; page < 2; page += 1) {
    const body = (await sendRequest(service, 'GET', `/v1/users?limit=2${cursor}`)).json();
    names.push(...body.items.map(({ name }: { name: string }) => name));
    cursor = `&cursor=${body.nextCursor}`;
  }
  assert.deepEqual(names.sort(), ['a', 'b', 'c', 'operator']);
  assert.equal(cursor, '&cursor=null');
  const wrong = await sendRequest(service, 'GET', '/v1/users?cursor=abc');
  assert.equal(wrong.json().code, 'request.cursor');
});

test('a disabled user is refused at once, and everything is valid again when it is enabled', async (t) => {
  const service = await openTestServer(t);
  const { id } = (await sendRequest(service, 'POST', '/v1/users', { name: 'anna' })).json();
  const { token } = await issueToken(service, { ...ALL, user: id });
  const anna = { ...service, token };
  const list = async () => (await sendRequest(anna, 'GET', '/v1/designs')).statusCode;
  assert.equal(await list(), 200);
  const set = (body: object) => sendRequest(service, 'PATCH', `/v1/users/${id}`, body);
  const disabled = (await set({ active: false })).json();
  assert.equal(disabled.active, false);
  assert.equal(await list(), 401);
  const link = await sendRequest(service, 'POST', `/v1/users/${id}/sign-in-link`);
  assert.deepEqual([link.statusCode, link.json().code], [400, 'token.user']);
  assert.equal((await set({ active: false })).json().disabledAt, disabled.disabledAt);
  assert.deepEqual((await set({ active: true })).json().disabledAt, null);
  assert.equal(await list(), 200);
});

test('403: an operator is neither disabled nor enabled by a request', async (t) => {
  const service = await openTestServer(t);
  const { id } = (await sendRequest(service, 'POST', '/v1/users', { name: 'anna' })).json();
  const database = connectToServerDatabase(t, service);
  const set = (body: object) => sendRequest(service, 'PATCH', `/v1/users/${id}`, body);
  const disabledAt = '2026-01-01T00:00:00.000Z';
  for (const [isDisabled, refused, command] of [
    [false, false, 'disable'],
    [true, true, 'enable'],
  ] as const) {
    const value = isDisabled ? `'${disabledAt}'` : 'NULL';
    await database.exec(
      `UPDATE "user" SET operator = 1, disabled_at = ${value} WHERE name = 'anna'`,
    );
    const response = await set({ active: refused, maxDesigns: 7 });
    assert.deepEqual([response.statusCode, response.json().code], [403, 'user.operator']);
    assert.ok(response.json().detail.endsWith(`cloche-server users ${command} anna`));
    const same = await set({ active: !refused });
    assert.equal(same.statusCode, 200, same.body);
    assert.deepEqual(
      [same.json().active, same.json().disabledAt, same.json().maxDesigns],
      [!isDisabled, isDisabled ? disabledAt : null, null],
    );
  }
});

test('quotas apply at once, and null is the quota of the service', async (t) => {
  const service = await openTestServer(t, { quotas: { bytes: 0, designs: 5 } });
  const { id } = (await sendRequest(service, 'POST', '/v1/users', { name: 'anna' })).json();
  const { token } = await issueToken(service, { ...ALL, user: id });
  const set = async (body: object) =>
    (await sendRequest(service, 'PATCH', `/v1/users/${id}`, body)).json();
  assert.deepEqual((await set({ maxDesigns: 1, maxMegabytes: 3 })).limits, {
    bytes: 3 * 1024 ** 2,
    designs: 1,
  });
  const anna = { ...service, token };
  await uploadTestDesign(anna);
  const upload = () => sendRequest(anna, 'POST', '/v1/designs', makeBox(), GLB_HEADERS);
  assert.equal((await upload()).json().code, 'upload.quota');
  const { maxDesigns, limits } = await set({ maxDesigns: null });
  assert.deepEqual([maxDesigns, limits.designs, limits.bytes], [null, 5, 3 * 1024 ** 2]);
  assert.equal((await upload()).statusCode, 201);
});

test('400: names that are taken or invalid, unknown fields and quotas that are no numbers', async (t) => {
  const service = await openTestServer(t);
  const create = (body: object) => sendRequest(service, 'POST', '/v1/users', body);
  const { id } = (await create({ name: 'anna' })).json();
  const change = (body: object) => sendRequest(service, 'PATCH', `/v1/users/${id}`, body);
  for (const response of [
    await create({ name: 'anna' }),
    await create({ name: '<b>' }),
    await create({ name: 'bob', operator: true }),
    await change({}),
    await change({ maxDesigns: -1 }),
    await change({ maxMegabytes: '5' }),
    await change({ operator: true }),
  ]) {
    assert.equal(response.statusCode, 400, response.body);
    assert.equal(response.json().code, 'request.invalid');
  }
});

test('the link of a new user is not stored in clear text', async (t) => {
  const service = await openTestServer(t);
  const created = await sendRequest(
    service,
    'POST',
    '/v1/users',
    { name: 'anna' },
    {
      'idempotency-key': 'add-anna',
    },
  );
  const code = created.json().signInLink.url.split('#sign-in=')[1];
  const row = await connectToServerDatabase(t, service).get('SELECT body FROM idempotency_key');
  const stored = Buffer.from(String(row?.body), 'base64').toString('latin1');
  assert.ok(code.length > 30 && stored.length > created.body.length / 2);
  assert.ok(!`${row?.body} ${stored}`.includes(code));
});
