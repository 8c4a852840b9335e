import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { issueToken, sendRequest } from '../../testing/requests.ts';
import { runInProcess } from '../../testing/run-cloche-server.ts';
import { OWN_PAGE, openBrowser, readCookie } from '../../testing/sessions.ts';
import { connectToServerDatabase, getDatabaseSettings } from '../../testing/test-database.ts';

const MINUTE_MS = 60_000;

async function openLink(t: TestContext) {
  const service = await openTestServer(t);
  const settings = { ...getDatabaseSettings(service), CLOCHE_PUBLIC_URL: 'https://cloche.example' };
  const createLink = async (...args: string[]) => {
    const { status, stdout, stderr } = await runInProcess(['sign-in-link', ...args], settings);
    assert.equal(status, 0, stderr);
    const [, code] =
      /^https:\/\/cloche\.example\/console#sign-in=(cloche_ss_\w{32})\n$/.exec(stdout) ?? [];
    assert.ok(code, stdout);
    return code;
  };
  const use = (code: string, headers: Record<string, string> = OWN_PAGE) =>
    sendRequest(
      service,
      'POST',
      '/v1/sessions/from-link',
      { code },
      { authorization: '', ...headers },
    );
  return { service, settings, createLink, use };
}

test('a link signs in once, on behalf of the token that can do everything', async (t) => {
  const { service, createLink, use } = await openLink(t);
  const code = await createLink();
  const responses = await Promise.all([use(code), use(code), use(code)]);
  assert.deepEqual(responses.map(({ statusCode }) => statusCode).sort(), [200, 401, 401]);
  for (const response of responses)
    if (response.statusCode !== 200) assert.equal(response.json().code, 'session.link');
  const response = responses.find(({ statusCode }) => statusCode === 200) ?? assert.fail();
  assert.doesNotMatch(response.body, /cloche_ss_/);
  const { call } = openBrowser(service, readCookie(response), response.json());
  const { items } = (await call('GET', '/v1/tokens')).json();
  assert.deepEqual(
    items.map(({ id }: { id: string }) => id),
    [response.json().tokenId],
    'no new token',
  );
  assert.equal((await call('POST', '/v1/tokens', { capabilities: ['read'] })).statusCode, 201);
});

test('401: a link that does not exist, or that is older than ten minutes', async (t) => {
  const { service, createLink, use } = await openLink(t);
  const early = await createLink();
  const code = await createLink();
  for (const text of ['', 'x', `cloche_ss_${'A'.repeat(32)}`, code.slice(0, -1), service.token])
    assert.equal((await use(text)).json().code, 'session.link', text);
  service.advanceTime(9 * MINUTE_MS);
  assert.equal((await use(early)).statusCode, 200);
  service.advanceTime(MINUTE_MS + 1000);
  const response = await use(code);
  const cookie = response.headers['set-cookie'];
  assert.deepEqual([response.json().code, cookie], ['session.link', undefined]);
});

test('401: a link whose token was revoked', async (t) => {
  const { service, createLink, use } = await openLink(t);
  const all = { capabilities: ['read', 'write', 'embed'], origins: [] };
  const { id } = await issueToken(service, all);
  const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  const first = items.find((token: { id: string }) => token.id !== id);
  const code = await createLink();
  await sendRequest(service, 'DELETE', `/v1/tokens/${first.id}`);
  assert.equal((await use(code)).json().code, 'token.revoked');
});

test('403: another page cannot use a link, and the link remains valid', async (t) => {
  const { createLink, use } = await openLink(t);
  const code = await createLink();
  for (const headers of [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { ...OWN_PAGE, 'sec-fetch-site': 'same-site' },
    { ...OWN_PAGE, origin: 'null' },
    {},
  ] as Record<string, string>[]) {
    const response = await use(code, headers);
    assert.deepEqual([response.statusCode, response.json().code], [403, 'token.origin']);
  }
  assert.equal((await use(code)).statusCode, 200);
});

test('only the hash of a link is stored, and nothing of it is in the log', async (t) => {
  const { service, createLink, use } = await openLink(t);
  const code = await createLink();
  const database = connectToServerDatabase(t, service);
  const rows = await database.all('SELECT * FROM sign_in_link');
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(code.slice(10)));
  await use(code);
  assert.deepEqual(await database.all('SELECT * FROM sign_in_link'), []);
  assert.ok(!service.logLines.join('').includes(code.slice(10)));
});

test('a user without a token that can do everything gets one, whose token string nobody has', async (t) => {
  const { service, settings, createLink, use } = await openLink(t);
  assert.equal((await runInProcess(['users', 'add', 'ada'], settings)).status, 0);
  const used = [];
  for (const code of [await createLink('--user', 'ada'), await createLink('--user', 'ada')]) {
    const response = await use(code);
    assert.equal(response.statusCode, 200, response.body);
    assert.equal(response.json().operator, false);
    used.push(response.json().tokenId);
  }
  assert.equal(new Set(used).size, 1, 'both links use the same token');
  const database = connectToServerDatabase(t, service);
  const rows = await database.all('SELECT name FROM token WHERE id = ?', String(used[0]));
  assert.deepEqual(rows, [{ name: 'sign-in links' }]);
  const { status, stderr } = await runInProcess(['sign-in-link', '--user', 'bob'], settings);
  assert.notEqual(status, 0);
  assert.match(stderr, /There is no user "bob"/);
});
