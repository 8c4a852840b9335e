import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import { assertActive, createToken, type TokenRecord, toTokenKind } from './token.ts';
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

test('a token contains the hash of its token string, and not the string', () => {
  const { token, tokenString } = createToken(newToken, noon);
  assert.equal(token.hash, hashTokenString(tokenString));
  assert.ok(!JSON.stringify(token).includes(tokenString.slice(10, 42)));
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
  test(`a token with ${capabilities.join(', ')} is ${kind}, and so is its token string`, () => {
    assert.equal(toTokenKind(capabilities), kind);
    const { tokenString } = createToken({ ...newToken, capabilities }, noon);
    assert.equal(findTokenKind(tokenString), kind);
  });
}

const activeCases: [
  reason: string,
  token: Partial<TokenRecord>,
  outcome: ProblemCode | 'active',
][] = [
  ['no expiry', {}, 'active'],
  ['expires in the future', { expiresAt: later }, 'active'],
  ['expires now', { expiresAt: noon }, 'token.expired'],
  ['expired in the past', { expiresAt: new Date(0) }, 'token.expired'],
  ['replaced, in its grace period', { replacedAt: noon, expiresAt: later }, 'active'],
  [
    'replaced without a grace period, by a node whose clock is ahead',
    { replacedAt: later, expiresAt: later },
    'token.expired',
  ],
  ['of a disabled user', { userDisabledAt: noon }, 'token.user-disabled'],
  ['revoked', { revokedAt: new Date(0) }, 'token.revoked'],
  ['revoked and expired', { revokedAt: noon, expiresAt: new Date(0) }, 'token.revoked'],
];

for (const [reason, change, outcome] of activeCases) {
  test(`${reason}: ${outcome}`, () => {
    const token = { ...createToken(newToken, noon).token, ...change };
    const act = () => assertActive(token, noon);
    if (outcome === 'active') act();
    else assert.throws(act, (error) => error instanceof Problem && error.code === outcome);
  });
}
