import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';
import { type AuthorizationInput, authorize } from './authorize.ts';
import { createToken } from './token.ts';

const shop = 'https://shop.example';
const serviceOrigin = 'https://cloche.example';
const withoutBrowserHeaders: AuthorizationInput = {
  requiredAnyOf: ['read'],
  origin: undefined,
  secFetchSite: undefined,
  ownOrigin: serviceOrigin,
};

type Row = [why: string, ask: Partial<AuthorizationInput>, verdict: ProblemCode | 'allowed'];

// A token without origins is for servers: whatever shows a browser is refused.
const serverTokenCases: Row[] = [
  ['no browser', {}, 'allowed'],
  ['typed into the address bar', { secFetchSite: 'none' }, 'allowed'],
  ['a page', { origin: shop }, 'token.secret-in-browser'],
  ['our own page', { origin: serviceOrigin }, 'token.secret-in-browser'],
  ['a sandboxed page', { origin: 'null' }, 'token.secret-in-browser'],
  ['an empty Origin', { origin: '' }, 'token.secret-in-browser'],
  ['same-origin', { secFetchSite: 'same-origin' }, 'token.secret-in-browser'],
  ['same-site', { secFetchSite: 'same-site' }, 'token.secret-in-browser'],
  ['cross-site', { secFetchSite: 'cross-site' }, 'token.secret-in-browser'],
  ['a word of the future', { secFetchSite: 'x' }, 'token.secret-in-browser'],
  ['an empty Sec-Fetch-Site', { secFetchSite: '' }, 'token.secret-in-browser'],
  [
    'a page, and no capability',
    { origin: shop, requiredAnyOf: ['write'] },
    'token.secret-in-browser',
  ],
  ['no capability', { requiredAnyOf: ['write'] }, 'token.capability'],
  ['one of two', { requiredAnyOf: ['embed', 'read'] }, 'allowed'],
];

// A token with origins may be used there, and by servers.
const pageTokenCases: Row[] = [
  ['no browser', {}, 'allowed'],
  ['a listed page', { origin: shop }, 'allowed'],
  ['a listed page, cross-site', { origin: shop, secFetchSite: 'cross-site' }, 'allowed'],
  ['another page', { origin: 'https://evil.example' }, 'token.origin'],
  ['the other scheme', { origin: 'http://shop.example' }, 'token.origin'],
  ['a longer name', { origin: `${shop}.evil.example` }, 'token.origin'],
  ['a sandboxed page', { origin: 'null' }, 'token.origin'],
  ['an empty Origin', { origin: '' }, 'token.origin'],
  ['cross-site, no Origin', { secFetchSite: 'cross-site' }, 'token.origin'],
  ['same-site, no Origin', { secFetchSite: 'same-site' }, 'token.origin'],
  ['our own page, not listed', { secFetchSite: 'same-origin' }, 'token.origin'],
  ['our own page, listed', { secFetchSite: 'same-origin', ownOrigin: shop }, 'allowed'],
  ['a listed page, no capability', { origin: shop, requiredAnyOf: ['write'] }, 'token.capability'],
];

for (const [origins, rows] of [
  [[], serverTokenCases],
  [[shop], pageTokenCases],
] as const) {
  const { token } = createToken(
    {
      user: 'usr_1',
      name: '',
      capabilities: ['read'] as Capability[],
      origins,
      designs: undefined,
      expiresAt: undefined,
    },
    new Date(),
  );
  for (const [why, change, verdict] of rows) {
    test(`${origins.length} origins, ${why}: ${verdict}`, () => {
      const act = () => authorize(token, { ...withoutBrowserHeaders, ...change });
      if (verdict === 'allowed') return act();
      assert.throws(act, (error) => error instanceof Problem && error.code === verdict);
    });
  }
}

test('a hostile Origin is not repeated', () => {
  const { token } = createToken(
    {
      user: 'usr_1',
      name: '',
      capabilities: ['read'],
      origins: [shop],
      designs: undefined,
      expiresAt: undefined,
    },
    new Date(),
  );
  const origin = '<b>\u202eevil\n';
  assert.throws(
    () => authorize(token, { ...withoutBrowserHeaders, origin }),
    (error) => error instanceof Problem && !error.message.includes('evil'),
  );
});

test('Sec-Fetch-Mode shows no browser: the fetch of Node sends it', async (t) => {
  const service = await openTestServer(t);
  const headers = { 'sec-fetch-mode': 'cors' };
  const answer = await sendRequest(service, 'GET', '/v1/tokens', undefined, headers);
  assert.equal(answer.statusCode, 200);
});

test('every form of a missing or broken Authorization is 401 with the cure', async (t) => {
  const { app, token } = await openTestServer(t);
  const rows: [header: string | undefined, code: ProblemCode][] = [
    [undefined, 'token.missing'],
    ['', 'token.missing'],
    ['Bearer', 'token.missing'],
    ['Bearer ', 'token.missing'],
    [token, 'token.missing'],
    [`Basic ${token}`, 'token.missing'],
    [`Bearer ${token} ${token}`, 'token.missing'],
    ['Bearer hello', 'token.malformed'],
    [`Bearer ${token.slice(0, -1)}`, 'token.malformed'],
    [`Bearer ${token}x`, 'token.malformed'],
    [`Bearer "${token}"`, 'token.malformed'],
    [`Bearer ${createForeignTokenString()}`, 'token.unknown'],
  ];
  for (const [authorization, code] of rows) {
    const answer = await app.inject({
      url: '/v1/tokens',
      headers: { host: 'cloche.test', ...(authorization !== undefined && { authorization }) },
    });
    assert.equal(answer.statusCode, 401, authorization);
    assert.equal(answer.json().code, code, authorization);
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="Cloche"');
  }
  for (const authorization of [`bearer ${token}`, `BEARER   ${token}`]) {
    const answer = await app.inject({
      url: '/v1/tokens',
      headers: { host: 'cloche.test', authorization },
    });
    assert.equal(answer.statusCode, 200, authorization);
  }
});

function createForeignTokenString(): string {
  return createToken(
    {
      user: 'usr_2',
      name: '',
      capabilities: ['read'],
      origins: [],
      designs: undefined,
      expiresAt: undefined,
    },
    new Date(),
  ).secret;
}
