import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import { checkAlive, checkDesign, kindFor, mint, type Token } from './token.ts';
import { hashOf, kindOf, type TokenKind } from './token-string.ts';

const noon = new Date('2026-11-21T12:00:00Z');
const later = new Date('2026-11-21T12:00:00.001Z');
const plan = {
  user: 'usr_1',
  name: 'shop',
  capabilities: ['embed'] as Capability[],
  origins: ['https://shop.example'],
  designs: undefined,
  expiresAt: undefined,
};

test('a minted token keeps the hash of its string and nothing else of it', () => {
  const { token, secret } = mint(plan, noon);
  assert.equal(token.hash, hashOf(secret));
  assert.ok(!JSON.stringify(token).includes(secret.slice(10, 42)));
  assert.match(token.id, /^tok_[0-9A-Za-z]{16}$/);
  assert.deepEqual(token.createdAt, noon);
  assert.equal(token.revokedAt, undefined);
});

const kinds: [capabilities: Capability[], kind: TokenKind][] = [
  [['embed'], 'public'],
  [['read'], 'secret'],
  [['write'], 'secret'],
  [['embed', 'read'], 'secret'],
  [['read', 'embed'], 'secret'],
  [['embed', 'write'], 'secret'],
  [['read', 'write', 'embed'], 'secret'],
];

for (const [capabilities, kind] of kinds) {
  test(`${capabilities.join('+')} is ${kind}, and its string says so`, () => {
    assert.equal(kindFor(capabilities), kind);
    assert.equal(kindOf(mint({ ...plan, capabilities }, noon).secret), kind);
  });
}

const lives: [why: string, token: Partial<Token>, verdict: ProblemCode | 'alive'][] = [
  ['no end', {}, 'alive'],
  ['an end to come', { expiresAt: later }, 'alive'],
  ['the very moment of its end', { expiresAt: noon }, 'token.expired'],
  ['an end that is past', { expiresAt: new Date(0) }, 'token.expired'],
  ['revoked', { revokedAt: new Date(0) }, 'token.revoked'],
  ['revoked and expired', { revokedAt: noon, expiresAt: new Date(0) }, 'token.revoked'],
];

for (const [why, change, verdict] of lives) {
  test(`${why}: ${verdict}`, () => {
    const token = { ...mint(plan, noon).token, ...change };
    assert.equal(
      verdictOf(() => checkAlive(token, noon)),
      verdict === 'alive' ? undefined : verdict,
    );
  });
}

const reaches: [why: string, designs: string[] | undefined, verdict: ProblemCode | undefined][] = [
  ['no list', undefined, undefined],
  ['on the list', ['other', 'this'], undefined],
  ['not on the list', ['other'], 'token.design'],
  ['a list of none', [], 'token.design'],
];

for (const [why, designs, verdict] of reaches) {
  test(`a design, ${why}: ${verdict ?? 'reached'}`, () => {
    assert.equal(
      verdictOf(() => checkDesign({ designs }, 'this')),
      verdict,
    );
  });
}

function verdictOf(act: () => void): ProblemCode | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return undefined;
}
