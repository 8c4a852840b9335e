import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePercent } from './decode-percent.ts';

const cases: [text: string, decoded: string][] = [
  ['', ''],
  ['/v1/tokens', '/v1/tokens'],
  ['%41', 'A'],
  ['%2541', 'A'],
  ['%25252541', 'A'],
  ['%%34%31', 'A'],
  ['%2%35%34%31', 'A'],
  ['%7E%7e%20', '~~ '],
  ['%7f', '\x7f'],
  ['%0a%1f%80%ff%c3%a9', '%0a%1f%80%ff%c3%a9'],
  ['%', '%'],
  ['%4', '%4'],
  ['%g1%4g', '%g1%4g'],
  ['é%41', 'éA'],
  ['%2525', '%'],
];

/** Decodes once per pass, until nothing changes: slow, but obviously right. */
function decodeInPasses(text: string): string {
  const decoded = text.replace(/%([2-7][0-9a-f])/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded === text ? text : decodeInPasses(decoded);
}

for (const [text, decoded] of cases) {
  test(`"${text}" becomes "${decoded}"`, () => {
    assert.equal(decodePercent(text), decoded);
    assert.equal(decodeInPasses(text), decoded);
  });
}

test('the result is that of repeated decoding', () => {
  let seed = 1;
  const next = (count: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % count;
  };
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: next(24) }, () => '%%%25347afx'[next(11)]).join('');
    assert.equal(decodePercent(text), decodeInPasses(text), text);
  }
});

test('each character is read once, however often the text is encoded', () => {
  for (const pairs of [1000, 2000, 4000, 8000]) {
    const text = `%${'25'.repeat(pairs)}41`;
    let reads = 0;
    const counting = {
      get length() {
        return text.length;
      },
      charCodeAt: (index: number) => {
        reads += 1;
        return text.charCodeAt(index);
      },
    };
    assert.equal(decodePercent(counting), 'A');
    assert.equal(reads, text.length);
  }
});
