import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import {
  assertActive,
  assertDesignInScope,
  createToken,
  type TokenRecord,
  toTokenKind,
} from './token.ts';
import { findTokenKind, hashTokenString, type TokenKind } from './token-string.ts';

const noon = new Date('2026-11-21T12:00:00Z');
const later = new Date('2026-11-21T12:00:00.001Z');
const newToken = {
  user: 'usr_1',
  name: 'shop',
  capabilities: ['embed'] as Capability[],
  origins: ['https://shop.example'],
  designs: undefined,
  expiresAt: undefined,
};

test('a minted token keeps the hash of its string and nothing else of it', () => {
  const { token, secret } = createToken(newToken, noon);
  assert.equal(token.hash, hashTokenString(secret));
  assert.ok(!JSON.stringify(token).includes(secret.slice(10, 42)));
  assert.match(token.id, /^tok_[0-9A-Za-z]{16}$/);
  assert.deepEqual(token.createdAt, noon);
  assert.equal(token.revokedAt, undefined);
});

const kindCases: [capabilities: Capability[], kind: TokenKind][] = [
  [['embed'], 'public'],
  [['read'], 'secret'],
  [['write'], 'secret'],
  [['embed', 'read'], 'secret'],
  [['read', 'embed'], 'secret'],
  [['embed', 'write'], 'secret'],
  [['read', 'write', 'embed'], 'secret'],
];

for (const [capabilities, kind] of kindCases) {
  test(`${capabilities.join('+')} is ${kind}, and its string says so`, () => {
    assert.equal(toTokenKind(capabilities), kind);
    assert.equal(findTokenKind(createToken({ ...newToken, capabilities }, noon).secret), kind);
  });
}

const activeCases: [why: string, token: Partial<TokenRecord>, verdict: ProblemCode | 'alive'][] = [
  ['no end', {}, 'alive'],
  ['an end to come', { expiresAt: later }, 'alive'],
  ['the very moment of its end', { expiresAt: noon }, 'token.expired'],
  ['an end that is past', { expiresAt: new Date(0) }, 'token.expired'],
  ['revoked', { revokedAt: new Date(0) }, 'token.revoked'],
  ['revoked and expired', { revokedAt: noon, expiresAt: new Date(0) }, 'token.revoked'],
];

for (const [why, change, verdict] of activeCases) {
  test(`${why}: ${verdict}`, () => {
    const token = { ...createToken(newToken, noon).token, ...change };
    assert.equal(
      problemCodeOf(() => assertActive(token, noon)),
      verdict === 'alive' ? undefined : verdict,
    );
  });
}

const scopeCases: [why: string, designs: string[] | undefined, verdict: ProblemCode | undefined][] =
  [
    ['no list', undefined, undefined],
    ['on the list', ['other', 'this'], undefined],
    ['not on the list', ['other'], 'token.design'],
    ['a list of none', [], 'token.design'],
  ];

for (const [why, designs, verdict] of scopeCases) {
  test(`a design, ${why}: ${verdict ?? 'reached'}`, () => {
    assert.equal(
      problemCodeOf(() => assertDesignInScope({ designs }, 'this')),
      verdict,
    );
  });
}

function problemCodeOf(act: () => void): ProblemCode | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return undefined;
}
