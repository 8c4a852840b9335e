import assert from 'node:assert/strict';
import { test } from 'node:test';
import vectors from '../../../contract/testing/origin-vectors.json' with { type: 'json' };
import { createToken } from '../tokens/token.ts';
import {
  type AccessDecision,
  assertEmbedToken,
  assertEmbedTokenString,
  evaluateAccess,
  parseEmbedContext,
} from './access-policy.ts';

const REASON_BY_VECTOR: Record<string, string> = {
  referer_allowed: 'referer-allowed',
  browser_iframe_frame_ancestors_decides: 'browser-decides',
  origin_not_allowed: 'embed.origin',
  not_an_iframe: 'embed.not-an-iframe',
  prefetch: 'embed.prefetch',
  no_evidence: 'embed.unverified-origin',
};

function toReason(decision: AccessDecision): string {
  return decision.allowed ? decision.reason : decision.code;
}

test('the decisions match the test vectors of the contract', async (t) => {
  assert.ok(vectors.embed_document_request.length > 0);
  for (const { allowlist, headers, expect, reason } of vectors.embed_document_request) {
    await t.test(`${reason}: ${JSON.stringify(headers)}`, () => {
      const decision = evaluateAccess(parseEmbedContext(headers), allowlist);
      assert.equal(decision.allowed, expect === 'allow');
      assert.equal(toReason(decision), REASON_BY_VECTOR[reason]);
    });
  }
});

const ORIGINS = ['https://shop.example', 'https://*.fair.example', 'http://localhost:*'];
const contextCases: [description: string, headers: Record<string, string>, reason: string][] = [
  ['prerender', { 'sec-purpose': 'prefetch;prerender' }, 'embed.prefetch'],
  ['prerender alone', { 'sec-purpose': 'prerender' }, 'embed.prefetch'],
  ['prefetch in upper case', { purpose: 'Prefetch' }, 'embed.prefetch'],
  ['X-Moz of old Firefox', { 'x-moz': 'prefetch' }, 'embed.prefetch'],
  ['another purpose', { 'sec-purpose': 'x', 'sec-fetch-dest': 'iframe' }, 'browser-decides'],
  ['an object element', { 'sec-fetch-dest': 'object' }, 'embed.not-an-iframe'],
  ['a frameset', { 'sec-fetch-dest': 'frame' }, 'embed.not-an-iframe'],
  ['Sec-Fetch-Dest twice', { 'sec-fetch-dest': 'iframe, iframe' }, 'embed.not-an-iframe'],
  ['an empty Sec-Fetch-Dest', { 'sec-fetch-dest': '' }, 'embed.not-an-iframe'],
  ['a subdomain', { referer: 'https://a.b.fair.example/' }, 'referer-allowed'],
  ['the apex of a wildcard', { referer: 'https://fair.example/' }, 'embed.origin'],
  ['any port of localhost', { referer: 'http://localhost:5173/x' }, 'referer-allowed'],
  ['https where http is listed', { referer: 'https://localhost:5173/' }, 'embed.origin'],
  ['an empty Referer', { referer: '', 'sec-fetch-dest': 'iframe' }, 'embed.origin'],
  ['a listed Origin alone', { origin: 'https://shop.example' }, 'embed.unverified-origin'],
  [
    'a listed Origin with an unlisted Referer',
    { origin: 'https://shop.example', referer: 'https://evil.example/' },
    'embed.origin',
  ],
  [
    'an unlisted Origin with a listed Referer',
    { origin: 'https://evil.example', referer: 'https://shop.example/' },
    'embed.origin',
  ],
];

test('decisions that the test vectors do not cover', async (t) => {
  for (const [description, headers, reason] of contextCases) {
    await t.test(`${reason}: ${description}`, () => {
      assert.equal(toReason(evaluateAccess(parseEmbedContext(headers), ORIGINS)), reason);
    });
  }
});

// `frame-ancestors http://h` also allows https://h, so an http page must name itself.
const HTTP_PAGES = ['http://shop.example', 'http://shop.example:8080', 'http://localhost:*'];
const originsCases: [
  description: string,
  list: string[],
  headers: Record<string, string>,
  reason: string,
  origins?: string[],
][] = [
  ['http only', HTTP_PAGES, {}, 'embed.unverified-origin'],
  ['http and https', ORIGINS, {}, 'browser-decides', ORIGINS.slice(0, 2)],
  ['https only', ORIGINS.slice(0, 2), {}, 'browser-decides', ORIGINS.slice(0, 2)],
  ['http, Referer', HTTP_PAGES, { referer: 'http://shop.example/' }, 'referer-allowed', HTTP_PAGES],
  ['http, Referer with https', HTTP_PAGES, { referer: 'https://shop.example/' }, 'embed.origin'],
  [
    'http with a port, Referer with https',
    HTTP_PAGES,
    { referer: 'https://shop.example:8080/' },
    'embed.origin',
  ],
  [
    'localhost, Referer with https',
    HTTP_PAGES,
    { referer: 'https://localhost:3000/' },
    'embed.origin',
  ],
  ['both, Referer', ORIGINS, { referer: 'https://shop.example/' }, 'referer-allowed', ORIGINS],
  [
    'http of another host beside it, Referer with https',
    [...ORIGINS, 'http://other.example'],
    { referer: 'https://shop.example/' },
    'referer-allowed',
    ORIGINS,
  ],
  [
    'http of another host beside it, Referer of a loopback host',
    [...ORIGINS, 'http://other.example'],
    { referer: 'http://localhost:3000/' },
    'referer-allowed',
    ORIGINS,
  ],
  [
    'http only, a listed Origin',
    HTTP_PAGES,
    { origin: 'http://shop.example' },
    'embed.unverified-origin',
  ],
];

test('which listed pages may frame a document, by its Referer', async (t) => {
  for (const [description, list, headers, reason, origins] of originsCases) {
    await t.test(`${reason}: ${description}`, () => {
      const decision = evaluateAccess({ ...headers, secFetchDest: 'iframe' }, list);
      assert.equal(toReason(decision), reason);
      assert.deepEqual(decision.allowed ? decision.origins : undefined, origins);
    });
  }
});

test('a document may request itself again, and only itself', async (t) => {
  const documentUrl = 'http://cloche.test/embed/iframe/v1/8b0f6f0e?token=cloche_pk_1';
  const rows: [description: string, headers: Record<string, string>, reason: string][] = [
    ['its own URL', { referer: documentUrl }, 'reload'],
    ['its own URL, over https', { referer: documentUrl, 'sec-fetch-dest': 'iframe' }, 'reload'],
    ['another token', { referer: `${documentUrl}2` }, 'embed.origin'],
    ['only the origin', { referer: 'http://cloche.test/' }, 'embed.origin'],
    [
      'another document',
      { referer: 'http://cloche.test/embed/iframe/v1/1?token=1' },
      'embed.origin',
    ],
    ['opened', { referer: documentUrl, 'sec-fetch-dest': 'document' }, 'embed.not-an-iframe'],
    ['prefetched', { referer: documentUrl, 'sec-purpose': 'prefetch' }, 'embed.prefetch'],
    [
      'from an unlisted Origin',
      { referer: documentUrl, origin: 'https://evil.example' },
      'embed.origin',
    ],
    ['without a Referer', {}, 'embed.unverified-origin'],
  ];
  for (const [description, headers, reason] of rows) {
    await t.test(`${reason}: ${description}`, () => {
      const context = { ...parseEmbedContext(headers), documentUrl };
      assert.equal(toReason(evaluateAccess(context, ORIGINS)), reason);
    });
  }
  await t.test('a token without origins', () => {
    assert.equal(
      toReason(evaluateAccess({ referer: documentUrl, documentUrl }, [])),
      'embed.origin',
    );
  });
  await t.test('a check without a document', () => {
    assert.equal(toReason(evaluateAccess({ referer: documentUrl }, ORIGINS)), 'embed.origin');
  });
});

test('a token without origins allows no page', () => {
  const decision = evaluateAccess({ secFetchDest: 'iframe' }, []);
  assert.equal(toReason(decision), 'embed.origin');
});

test('a header that is sent twice is not reduced to its first value', () => {
  const context = parseEmbedContext({ origin: ['https://shop.example', 'https://evil.example'] });
  assert.equal(
    toReason(evaluateAccess({ ...context, secFetchDest: 'iframe' }, ORIGINS)),
    'embed.origin',
  );
});

test('a denial names the page and the origin to add', () => {
  const decision = evaluateAccess({ referer: 'https://www.shop.example/' }, ORIGINS);
  assert.ok(!decision.allowed);
  assert.equal(decision.pageOrigin, 'https://www.shop.example');
  assert.match(decision.detail, /^https:\/\/www\.shop\.example is not in the token's list\. /);
  assert.match(decision.detail, /without "www\."/);
  assert.match(decision.detail, /Add https:\/\/www\.shop\.example to the token's origins/);
});

test('a denial repeats no text that is not an origin', () => {
  for (const value of ['null', 'http://[::1]:80', '<script>', 'x'.repeat(9000), 'a:\u202e']) {
    const decision = evaluateAccess({ origin: value, secFetchDest: 'iframe' }, ORIGINS);
    assert.ok(!decision.allowed && decision.detail.length < 400);
    assert.equal(decision.pageOrigin, value === 'null' ? 'null' : undefined);
    assert.doesNotMatch(decision.detail, /<script>|xxx|\u202e/);
  }
  const fetched = evaluateAccess({ secFetchDest: '<img>' }, ORIGINS);
  assert.ok(!fetched.allowed && !fetched.detail.includes('<img>'));
});

const now = new Date('2030-01-01T00:00:00Z');
const newToken = {
  user: 'usr_1',
  name: '',
  capabilities: ['embed'],
  origins: ORIGINS,
  designs: ['d1'],
  expiresAt: undefined,
} as const;
const publicToken = createToken(newToken, now);
const secretToken = createToken({ ...newToken, capabilities: ['read', 'embed'] }, now);

const tokenStringCases: [description: string, text: string | undefined, code: string][] = [
  ['no token', undefined, 'token.missing'],
  ['an empty token', '', 'token.missing'],
  ['the placeholder', 'CLOCHE_EMBED_TOKEN', 'embed.placeholder'],
  ['a typo', `${publicToken.tokenString.slice(0, -1)}!`, 'token.malformed'],
  ['a secret token', secretToken.tokenString, 'embed.secret-token'],
];

test('a token string that cannot be an embed token is refused', async (t) => {
  assertEmbedTokenString(publicToken.tokenString);
  for (const [description, text, code] of tokenStringCases) {
    await t.test(`${code}: ${description}`, () =>
      assert.throws(() => assertEmbedTokenString(text), { code }),
    );
  }
});

test('a token that may not show the design is refused', async (t) => {
  const { token } = publicToken;
  assertEmbedToken(token, 'd1', now);
  assertEmbedToken({ ...token, designs: undefined }, 'd2', now);
  const cases: [change: Partial<typeof token> | undefined, design: string, code: string][] = [
    [undefined, 'd1', 'token.unknown'],
    [{ revokedAt: now }, 'd1', 'token.revoked'],
    [{ expiresAt: now }, 'd1', 'token.expired'],
    [{ userDisabledAt: now }, 'd1', 'token.user-disabled'],
    [{ capabilities: ['embed', 'read'] }, 'd1', 'embed.secret-token'],
    [{ capabilities: ['read'] }, 'd1', 'embed.secret-token'],
    [{ capabilities: [] }, 'd1', 'embed.secret-token'],
    [{}, 'd2', 'token.design'],
    [{ designs: [] }, 'd1', 'token.design'],
  ];
  for (const [change, design, code] of cases) {
    await t.test(code, () => {
      const changed = change && { ...token, ...change };
      assert.throws(() => assertEmbedToken(changed, design, now), { code });
    });
  }
});
