import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findTokenKind,
  generateTokenString,
  hashTokenString,
  randomBase62,
  type TokenKind,
} from './token-string.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a token string contains its kind and has 48 characters', () => {
  const rows: [TokenKind, RegExp][] = [
    ['public', /^cloche_pk_[0-9A-Za-z]{38}$/],
    ['secret', /^cloche_sk_[0-9A-Za-z]{38}$/],
  ];
  for (const [kind, pattern] of rows) {
    const text = generateTokenString(kind);
    assert.match(text, pattern);
    assert.equal(text.length, 48);
    assert.equal(findTokenKind(text), kind);
  }
});

test('the checksum algorithm does not change: existing tokens depend on it', () => {
  assert.equal(findTokenKind(`cloche_pk_${'0'.repeat(32)}11fVRH`), 'public');
});

test('every error in one character is detected', () => {
  const text = generateTokenString('public');
  for (let index = 0; index < text.length; index += 1) {
    for (const character of `${ALPHABET}_-. %`) {
      if (character === text[index]) continue;
      const typo = text.slice(0, index) + character + text.slice(index + 1);
      assert.equal(findTokenKind(typo), undefined, `${character} at ${index}`);
    }
  }
});

test('truncated, repeated, swapped or extended text is not a token string', () => {
  const text = generateTokenString('secret');
  const swapped = [...text].map((_, index) => {
    const characters = [...text];
    const [first = '', second = ''] = characters.slice(index, index + 2);
    characters.splice(index, 2, second, first);
    return characters.join('');
  });
  const invalid = [
    '',
    text.slice(0, -1),
    text.slice(1),
    `${text}0`,
    ` ${text}`,
    `${text}\n`,
    text.toUpperCase(),
    text + text,
    text.replace('_sk_', '_pk_'),
    'cloche_xk_'.padEnd(48, '0'),
    ...swapped.filter((candidate) => candidate !== text),
  ];
  for (const candidate of invalid) {
    assert.equal(findTokenKind(candidate), undefined, JSON.stringify(candidate));
  }
});

test('random characters are distributed evenly over the alphabet', () => {
  const length = 62 * 2000;
  const counts = new Map<string, number>();
  for (const character of randomBase62(length)) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  assert.deepEqual([...counts.keys()].sort(), [...ALPHABET].sort());
  // Chi-squared with 61 degrees of freedom: above 150 about once in 10^9 runs. The modulo bias of
  // 256 values over 62 characters would give several thousand.
  let chiSquared = 0;
  for (const count of counts.values()) chiSquared += (count - 2000) ** 2 / 2000;
  assert.ok(chiSquared < 150, `chi-squared ${chiSquared}`);
});

test('token strings are unique', () => {
  const tokenStrings = new Set(Array.from({ length: 5000 }, () => generateTokenString('public')));
  assert.equal(tokenStrings.size, 5000);
});

test('the hash is the SHA-256, hex', () => {
  assert.equal(
    hashTokenString('abc'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
