import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { assertIfMatch, parseIfMatch, toEtag } from './if-match.ts';

const parse = (header: string) => parseIfMatch({ headers: { 'if-match': header } });

/** The headers, and whether they match version 3. */
const headers: [header: string, matches: boolean][] = [
  ['*', true],
  ['"3"', true],
  ['"2"', false],
  ['"2", "3"', true],
  ['"2","3"', true],
  [', "2" ,, "3",', true],
  ['"30"', false],
  ['"2,3"', false],
  ['""', false],
  ['W/"3"', false],
  ['W/"3", "3"', true],
];

for (const [header, matches] of headers) {
  test(`If-Match: ${header} ${matches ? 'matches' : 'does not match'} "3"`, () => {
    const ifMatch = parse(header);
    if (matches) return assertIfMatch(ifMatch, 3);
    assert.throws(
      () => assertIfMatch(ifMatch, 3),
      (error) =>
        error instanceof Problem &&
        error.code === 'request.precondition-failed' &&
        error.status === 412 &&
        error.etag === toEtag(3),
    );
  });
}

test('without If-Match, every version matches', () => {
  assert.equal(parseIfMatch({ headers: {} }), undefined);
  assertIfMatch(undefined, 3);
});

for (const header of [
  '',
  ' ',
  ',',
  '3',
  '"3',
  '3"',
  "'3'",
  '"3" "4"',
  'w/"3"',
  '*, "3"',
  '"3", *',
  '"a\tb"',
  '"3 "',
])
  test(`If-Match: ${JSON.stringify(header)} is malformed`, () => {
    assert.throws(
      () => parse(header),
      (error) => error instanceof Problem && error.field === 'header.if-match',
    );
  });

test('a long list takes linear time', () => {
  const tags = '"1",'.repeat(4_000);
  assert.equal(parse(tags)?.length, 4_000);
  for (const hostile of [`${tags}x`, `"1"${', '.repeat(8_000)}x`, `"1"${' '.repeat(16_000)}x`])
    assert.throws(() => parse(hostile), Problem);
});
