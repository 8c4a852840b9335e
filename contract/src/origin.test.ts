import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findRefererOrigin, isOriginAllowed, matchesOrigin } from './origin.ts';

type Row = { allowlist: string[]; expect: 'allow' | 'deny' };
type Vectors = {
  match_origin_header: (Row & { origin_header: string | null })[];
  match_referer: (Row & { referer: string; referer_origin: string | null })[];
};

const vectorsFile = new URL('../testing/origin-vectors.json', import.meta.url);
const vectors: Vectors = JSON.parse(readFileSync(vectorsFile, 'utf8'));

test('isOriginAllowed compares an Origin header with a list', async (t) => {
  assert.ok(vectors.match_origin_header.length > 0);
  for (const { allowlist, origin_header, expect } of vectors.match_origin_header) {
    await t.test(`${expect}: ${origin_header} on ${allowlist.join(' ')}`, () => {
      const allowed = origin_header !== null && isOriginAllowed(allowlist, origin_header);
      assert.equal(allowed, expect === 'allow');
    });
  }
});

test('findRefererOrigin returns the origin of a Referer', async (t) => {
  assert.ok(vectors.match_referer.length > 0);
  for (const { allowlist, referer, referer_origin, expect } of vectors.match_referer) {
    await t.test(`${expect}: "${referer}"`, () => {
      const origin = findRefererOrigin(referer);
      assert.equal(origin, referer_origin ?? undefined);
      assert.equal(origin !== undefined && isOriginAllowed(allowlist, origin), expect === 'allow');
    });
  }
});

test('a text longer than any origin matches nothing', () => {
  const toOrigin = (labels: number) => `https://${'a.'.repeat(labels)}shop.example`;
  for (const [labels, isOrigin] of [
    [120, true],
    [130, false],
    [8000, false],
  ] as const) {
    const origin = toOrigin(labels);
    assert.equal(isOriginAllowed(['https://*.shop.example'], origin), isOrigin);
    assert.equal(findRefererOrigin(`${origin}/x`), isOrigin ? origin : undefined);
  }
});

const matchCases: [listed: string, origin: string, matches: boolean][] = [
  ['https://shop.example', 'https://shop.example', true],
  ['https://shop.example', 'https://shop.example.', false],
  ['https://shop.example', 'https://shop.example/', false],
  ['https://shop.example', '', false],
  ['https://*.shop.example', 'https://a.shop.example', true],
  ['https://*.shop.example', 'https://a_b.shop.example', true],
  ['https://*.shop.example', 'https://A.shop.example', false],
  ['https://*.shop.example', 'http://a.shop.example', false],
  ['https://*.shop.example', 'https://*.shop.example', false],
  ['https://*.shop.example', 'https://a..shop.example', false],
  ['https://*.shop.example', 'https://evil.test/.shop.example', false],
  ['https://*.shop.example', 'https://evil.test?.shop.example', false],
  ['https://*.shop.example', 'https://evil.test#.shop.example', false],
  ['https://*.shop.example', 'https://me@a.shop.example', false],
  ['https://*.shop.example', 'https://evil.test\n.shop.example', false],
  ['https://*.shop.example', 'https://a.shop.example\n', false],
  ['https://*.shop.example', 'https://a.shop.example:443', false],
  ['https://*.shop.example:8443', 'https://a.shop.example:8443', true],
  ['https://*.shop.example:8443', 'https://a.shop.example', false],
  ['http://localhost:*', 'http://localhost', true],
  ['http://localhost:*', 'http://localhost:5173', true],
  ['http://localhost:*', 'http://localhost:', false],
  ['http://localhost:*', 'http://localhost:*', false],
  ['http://localhost:*', 'http://localhost:080', false],
  ['http://localhost:*', 'http://localhost.evil.test', false],
  ['http://127.0.0.1:*', 'http://127.0.0.1:8080', true],
  ['http://*.app.localhost:*', 'http://a.app.localhost:8080', true],
  ['http://*.app.localhost:*', 'http://app.localhost:8080', false],
  ['null', 'null', false],
  ['*', 'https://shop.example', false],
  ['https://*', 'https://shop.example', false],
  ['https:', 'https://shop.example', false],
];

test('matchesOrigin compares one listed origin with an origin sent by a browser', async (t) => {
  for (const [listed, origin, matches] of matchCases) {
    await t.test(
      `${listed} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(origin)}`,
      () => {
        assert.equal(matchesOrigin(listed, origin), matches);
      },
    );
  }
});

test('an empty list matches nothing', () => {
  assert.equal(isOriginAllowed([], 'https://shop.example'), false);
});

test('findRefererOrigin returns undefined for text that browsers do not send', () => {
  const invalidReferers = [
    'https://me@shop.test/',
    'HTTPS://shop.test/',
    'https:/shop.test/',
    'https:///shop.test/',
    'https:\\\\shop.test/',
    'https://shop.test.evil.test%2e/',
    ' https://shop.test/',
    'https://sh\top.test/',
    'http://[::1]:3000/',
    'file:///home/shop.html',
    'view-source:https://shop.test/',
  ];
  for (const referer of invalidReferers)
    assert.equal(findRefererOrigin(referer), undefined, referer);
});
