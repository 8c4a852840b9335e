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
  toFrameAncestorsDirective,
} from './access-policy.ts';

const REASON_BY_VECTOR: Record<string, string> = {
  referer_allowed: 'referer-allowed',
  browser_iframe_frame_ancestors_decides: 'browser-decides',
  origin_not_allowed: 'embed.origin',
  not_an_iframe: 'embed.not-an-iframe',
  prefetch: 'embed.prefetch',
  no_evidence: 'embed.unverified-origin',
};

function toReason(verdict: AccessDecision): string {
  return verdict.allowed ? verdict.reason : verdict.code;
}

test('every vector is judged as it says', async (t) => {
  assert.ok(vectors.embed_document_request.length > 0);
  for (const { allowlist, headers, expect, reason } of vectors.embed_document_request) {
    await t.test(`${reason}: ${JSON.stringify(headers)}`, () => {
      const verdict = evaluateAccess(parseEmbedContext(headers), allowlist);
      assert.equal(verdict.allowed, expect === 'allow');
      assert.equal(toReason(verdict), REASON_BY_VECTOR[reason]);
    });
  }
});

const ORIGINS = ['https://shop.example', 'https://*.fair.example', 'http://localhost:*'];
const contextCases: [why: string, headers: Record<string, string>, word: string][] = [
  ['prerender', { 'sec-purpose': 'prefetch;prerender' }, 'embed.prefetch'],
  ['prerender alone', { 'sec-purpose': 'prerender' }, 'embed.prefetch'],
  ['another case', { purpose: 'Prefetch' }, 'embed.prefetch'],
  ['old Firefox', { 'x-moz': 'prefetch' }, 'embed.prefetch'],
  [
    'a purpose of another kind',
    { 'sec-purpose': 'x', 'sec-fetch-dest': 'iframe' },
    'browser-decides',
  ],
  ['an object element', { 'sec-fetch-dest': 'object' }, 'embed.not-an-iframe'],
  ['a frameset', { 'sec-fetch-dest': 'frame' }, 'embed.not-an-iframe'],
  ['the header twice', { 'sec-fetch-dest': 'iframe, iframe' }, 'embed.not-an-iframe'],
  ['the header empty', { 'sec-fetch-dest': '' }, 'embed.not-an-iframe'],
  ['a subdomain', { referer: 'https://a.b.fair.example/' }, 'referer-allowed'],
  ['the apex of a star', { referer: 'https://fair.example/' }, 'embed.origin'],
  ['any port of localhost', { referer: 'http://localhost:5173/x' }, 'referer-allowed'],
  ['https where http is listed', { referer: 'https://localhost:5173/' }, 'embed.origin'],
  ['an empty Referer', { referer: '', 'sec-fetch-dest': 'iframe' }, 'embed.origin'],
  ['a listed Origin alone', { origin: 'https://shop.example' }, 'embed.unverified-origin'],
  [
    'a listed Origin under a foreign Referer',
    { origin: 'https://shop.example', referer: 'https://evil.example/' },
    'embed.origin',
  ],
  [
    'a foreign Origin under a listed Referer',
    { origin: 'https://evil.example', referer: 'https://shop.example/' },
    'embed.origin',
  ],
];

test('more visits', async (t) => {
  for (const [why, headers, word] of contextCases) {
    await t.test(`${word}: ${why}`, () => {
      assert.equal(toReason(evaluateAccess(parseEmbedContext(headers), ORIGINS)), word);
    });
  }
});

test('an empty list shows a design nowhere', () => {
  const verdict = evaluateAccess({ secFetchDest: 'iframe' }, []);
  assert.equal(toReason(verdict), 'embed.origin');
  assert.equal(toFrameAncestorsDirective([]), "frame-ancestors 'none'");
});

test('a header sent twice is judged as a whole', () => {
  const visit = parseEmbedContext({ origin: ['https://shop.example', 'https://evil.example'] });
  assert.equal(
    toReason(evaluateAccess({ ...visit, secFetchDest: 'iframe' }, ORIGINS)),
    'embed.origin',
  );
});

test('a refusal names the page, and what to add', () => {
  const verdict = evaluateAccess({ referer: 'https://www.shop.example/' }, ORIGINS);
  assert.ok(!verdict.allowed);
  assert.equal(verdict.pageOrigin, 'https://www.shop.example');
  assert.match(verdict.detail, /^https:\/\/www\.shop\.example is not on this token’s list\. /);
  assert.match(verdict.detail, /without "www\."/);
  assert.match(verdict.detail, /Add https:\/\/www\.shop\.example to the token’s origins/);
});

test('a refusal repeats nothing that is not an origin', () => {
  for (const value of ['null', 'http://[::1]:80', '<script>', 'x'.repeat(9000), 'a:\u202e']) {
    const verdict = evaluateAccess({ origin: value, secFetchDest: 'iframe' }, ORIGINS);
    assert.ok(!verdict.allowed && verdict.detail.length < 400);
    assert.equal(verdict.pageOrigin, value === 'null' ? 'null' : undefined);
    assert.doesNotMatch(verdict.detail, /<script>|xxx|\u202e/);
  }
  const fetched = evaluateAccess({ secFetchDest: '<img>' }, ORIGINS);
  assert.ok(!fetched.allowed && !fetched.detail.includes('<img>'));
});

test('frame-ancestors is written from parts', () => {
  const list = ['https://shop.example:8443', 'https://*.x.example', 'http://localhost:*'];
  const directive =
    'frame-ancestors https://shop.example:8443 https://*.x.example http://localhost:*';
  assert.equal(toFrameAncestorsDirective(list), directive);
});

test('frame-ancestors never holds what is not an origin', () => {
  const odd = [
    '*',
    'https:',
    'https://*',
    'https://*.com',
    'https://a.test;sandbox',
    'https://a.test,https://evil.test',
    "https://a.test 'self'",
    'https://a.test\r\nSet-Cookie: a=b',
    'https://a.test\n',
    'https://a.test/',
    'HTTPS://a.test',
    'https://bücher.test',
    'https://',
    'null',
    '',
  ];
  for (const text of odd) {
    assert.throws(() => toFrameAncestorsDirective([text]), { name: 'AssertionError' }, text);
  }
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

const tokenStringCases: [why: string, text: string | undefined, code: string][] = [
  ['no token', undefined, 'token.missing'],
  ['an empty token', '', 'token.missing'],
  ['the placeholder', 'CLOCHE_EMBED_TOKEN', 'embed.placeholder'],
  ['a typo', `${publicToken.tokenString.slice(0, -1)}!`, 'token.malformed'],
  ['a secret token', secretToken.tokenString, 'embed.secret-token'],
];

test('a token is judged by its text first', async (t) => {
  assertEmbedTokenString(publicToken.tokenString);
  for (const [why, text, code] of tokenStringCases) {
    await t.test(`${code}: ${why}`, () =>
      assert.throws(() => assertEmbedTokenString(text), { code }),
    );
  }
});

test('then by what it is', async (t) => {
  const { token } = publicToken;
  assertEmbedToken(token, 'd1', now);
  assertEmbedToken({ ...token, designs: undefined }, 'd2', now);
  const rows: [change: Partial<typeof token> | undefined, design: string, code: string][] = [
    [undefined, 'd1', 'token.unknown'],
    [{ revokedAt: now }, 'd1', 'token.revoked'],
    [{ expiresAt: now }, 'd1', 'token.expired'],
    [{ capabilities: ['embed', 'read'] }, 'd1', 'embed.secret-token'],
    [{ capabilities: ['read'] }, 'd1', 'embed.secret-token'],
    [{ capabilities: [] }, 'd1', 'embed.secret-token'],
    [{}, 'd2', 'token.design'],
    [{ designs: [] }, 'd1', 'token.design'],
  ];
  for (const [change, design, code] of rows) {
    await t.test(code, () => {
      const judged = change && { ...token, ...change };
      assert.throws(() => assertEmbedToken(judged, design, now), { code });
    });
  }
});
