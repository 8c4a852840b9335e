import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateTokenString } from '../tokens/token-string.ts';
import { redactPath, redactTokens } from './redact-tokens.ts';

test('tokens, and parts of tokens long enough to be used, are replaced', () => {
  for (const kind of ['public', 'secret'] as const) {
    const token = generateTokenString(kind);
    const random = token.slice(10);
    const texts = [
      token,
      `"${token}"`,
      `?token=${token}&x=1`,
      `x${token}x`,
      token.replaceAll('_', '%5F'),
      token.replaceAll('_', '%5f'),
      token.toLowerCase(),
      token.slice(0, -1),
      token.slice(0, 20),
      random,
      `/${random}/`,
      `%63${token.slice(1)}`,
      `%5F${random}`,
    ];
    for (const text of texts) {
      const redacted = redactTokens(text);
      assert.match(redacted, /\[token\]/);
      assert.ok(!redacted.includes(random.slice(0, 8)), `${text} became ${redacted}`);
    }
  }
});

test('ids, blob URLs and ordinary words are not replaced', () => {
  const texts = [
    'tok_3kTMd9Qx0aZ1bY2c usr_3kTMd9Qx0aZ1bY2c',
    '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55',
    `/embed/assets/${'0123456789abcdef'.repeat(4)}.glb`,
    'cloche://x cloche_test a_secret_token_was_used_in_a_browser',
  ];
  for (const text of texts) assert.equal(redactTokens(text), text);
});

const percentEncode = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

test('paths are logged without query, shortened, and without encoded tokens', () => {
  const token = generateTokenString('secret');
  const cases: [url: string, path: string][] = [
    ['/v1/tokens?limit=1', '/v1/tokens'],
    ['/%zz', '/%zz'],
    [`/${token}`, '/[token]'],
    [`/a/${percentEncode(token)}`, '/a/[token]'],
    [`/a/${encodeURIComponent(percentEncode(token))}`, '/a/[token]'],
    [`/${'x/'.repeat(200)}`, `/${'x/'.repeat(200)}`.slice(0, 200)],
  ];
  for (const [url, path] of cases) assert.equal(redactPath(url), path);
});

test('session tokens are replaced, with a signature of any characters', () => {
  const signature = '-_aB3'.repeat(8);
  for (const text of [
    `cloche_ss_tok_x.m1.${signature}`,
    `cloche%5Fss%5Ftok_x.m1.${signature}`,
    `?token=cloche_ss_tok_x.m1.${signature}&x=1`,
  ]) {
    const redacted = redactTokens(text);
    assert.match(redacted, /\[token\]/);
    assert.ok(!redacted.includes('aB3'), redacted);
  }
});
