import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { CompressedText, chooseTextEncoding, type TextEncoding } from './compressed-text.ts';

const rows: [header: string | undefined, encoding: TextEncoding][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br', 'br'],
  ['deflate', 'identity'],
  ['identity', 'identity'],
  ['brotli, xgzip', 'identity'],
  ['x-br, a-gzip', 'identity'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=1.0, br;q=0.1', 'br'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['gzip;q=0, br;q=0', 'identity'],
  ['br;q=0, *', 'gzip'],
];

for (const [header, encoding] of rows) {
  test(`Accept-Encoding: ${header} gets ${encoding}`, () => {
    assert.equal(chooseTextEncoding(header), encoding);
  });
}

test('a text is compressed once, and decompresses to itself', () => {
  const text = new CompressedText('A chäir. '.repeat(100));
  assert.equal(text.identity.toString(), 'A chäir. '.repeat(100));
  assert.deepEqual(brotliDecompressSync(text.br), text.identity);
  assert.deepEqual(gunzipSync(text.gzip), text.identity);
  assert.equal(text.gzip, text.gzip);
  assert.ok(text.br.length < 100 && text.gzip.length < 100);
});

test('a text that may be sent only once is compressed fast first, and well after that', () => {
  const words = Array.from({ length: 2000 }, (_, index) => `${(index * 7919) % 1013}`).join(' ');
  const text = new CompressedText(words, { fastReads: 2 });
  const [first, second, third, fourth] = [text.br, text.br, text.br, text.br];
  assert.equal(second, first);
  assert.equal(fourth, third);
  assert.ok(third.length < first.length);
  assert.equal(third.length, new CompressedText(words).br.length);
  for (const bytes of [first, third]) assert.deepEqual(brotliDecompressSync(bytes), text.identity);
});

for (const [fastReads, reads] of [
  [0, 1],
  [4, 100],
] as const) {
  test(`after ${reads} of its responses, a text is compressed as well as possible, once and in the background`, async () => {
    const text = new CompressedText(await readFile(import.meta.filename, 'utf8'), { fastReads });
    const early = Array.from({ length: reads }, () => text.br).at(-1);
    await delay(100);
    // It is sent as it is, and compressed again.
    assert.equal(text.br, early);
    await waitUntil('better compression', () => text.br !== early);
    const best = text.br;
    assert.ok(early && best.length < early.length);
    assert.deepEqual(brotliDecompressSync(best), text.identity);
    await delay(100);
    assert.equal(text.br, best);
  });
}
