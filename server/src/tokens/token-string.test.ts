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

test('a token string says its kind and has 48 characters in all', () => {
  const rows: [TokenKind, RegExp][] = [
    ['public', /^cloche_pk_[0-9A-Za-z]{38}$/],
    ['secret', /^cloche_sk_[0-9A-Za-z]{38}$/],
  ];
  for (const [kind, form] of rows) {
    const text = generateTokenString(kind);
    assert.match(text, form);
    assert.equal(text.length, 48);
    assert.equal(findTokenKind(text), kind);
  }
});

test('a known string keeps its checksum, or every token out there would stop working', () => {
  assert.equal(findTokenKind(`cloche_pk_${'0'.repeat(32)}11fVRH`), 'public');
});

test('every typo of one character is noticed', () => {
  const text = generateTokenString('public');
  for (let place = 0; place < text.length; place += 1) {
    for (const letter of `${ALPHABET}_-. %`) {
      if (letter === text[place]) continue;
      const typo = text.slice(0, place) + letter + text.slice(place + 1);
      assert.equal(findTokenKind(typo), undefined, `${letter} at ${place}`);
    }
  }
});

test('what was cut, doubled, swapped or framed is no token', () => {
  const text = generateTokenString('secret');
  const swapped = [...text].map((_, i) => {
    const letters = [...text];
    [letters[i], letters[i + 1]] = [letters[i + 1] ?? '', letters[i] ?? ''];
    return letters.join('');
  });
  const others = [
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
    ...swapped.filter((one) => one !== text),
  ];
  for (const other of others) assert.equal(findTokenKind(other), undefined, JSON.stringify(other));
});

test('the random characters are spread evenly over the alphabet', () => {
  const length = 62 * 2000;
  const counts = new Map<string, number>();
  for (const letter of randomBase62(length)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  assert.deepEqual([...counts.keys()].sort(), [...ALPHABET].sort());
  // Chi-squared with 61 degrees of freedom: above 150 once in some 10^9 runs; modulo bias of
  // 256 over 62 would put it in the thousands.
  let spread = 0;
  for (const count of counts.values()) spread += (count - 2000) ** 2 / 2000;
  assert.ok(spread < 150, `chi-squared ${spread}`);
});

test('no two token strings are alike', () => {
  const made = new Set(Array.from({ length: 5000 }, () => generateTokenString('public')));
  assert.equal(made.size, 5000);
});

test('the hash is SHA-256 in hex', () => {
  assert.equal(
    hashTokenString('abc'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
