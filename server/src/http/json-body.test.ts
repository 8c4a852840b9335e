import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import { parseJsonBody } from './json-body.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const validCases: [text: string, value: unknown][] = [
  ['{}', {}],
  [' [1, "a", null, true] ', [1, 'a', null, true]],
  ['"\\ud83d\\ude00"', '😀'],
  [`"${'['.repeat(100)}"`, '['.repeat(100)],
  [`"\\"${'{'.repeat(100)}\\\\"`, `"${'{'.repeat(100)}\\`],
];

for (const [text, value] of validCases) {
  test(`valid JSON: ${text.slice(0, 30)}`, () => {
    assert.deepEqual(parseJsonBody(Buffer.from(text)), value);
  });
}

test('32 levels are valid, and so are many arrays at the same level', () => {
  assert.ok(parseJsonBody(Buffer.from(nested(32))));
  assert.ok(parseJsonBody(Buffer.from(`[${Array(100).fill('[]').join()}]`)));
});

const invalidCases: [reason: string, bytes: Buffer | string, code: ProblemCode][] = [
  ['an empty body', '', 'request.broken-json'],
  ['a space', ' ', 'request.broken-json'],
  ['an unfinished object', '{"a":', 'request.broken-json'],
  ['two values', '{}{}', 'request.broken-json'],
  ['single quotes', "{'a':1}", 'request.broken-json'],
  ['a trailing comma', '[1,]', 'request.broken-json'],
  ['NaN', 'NaN', 'request.broken-json'],
  ['a byte order mark', '\ufeff{}', 'request.broken-json'],
  ['a raw line break in a string', '"a\nb"', 'request.broken-json'],
  ['Latin-1', Buffer.from('{"name":"\xe4"}', 'latin1'), 'request.broken-json'],
  ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'request.broken-json'],
  ['an incomplete UTF-8 character', Buffer.from([0x22, 0xf0, 0x9f, 0x22]), 'request.broken-json'],
  ['a lone surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'request.broken-json'],
  ['33 levels', nested(33), 'request.too-deep'],
  ['100,000 levels, never closed', '{"a":'.repeat(100_000), 'request.too-deep'],
  ['33 levels after an escaped backslash', `["\\\\",${nested(32)}]`, 'request.too-deep'],
];

for (const [reason, bytes, code] of invalidCases) {
  test(`${code}: ${reason}`, () => {
    assert.throws(
      () => parseJsonBody(Buffer.from(bytes as string)),
      (error) => {
        assert.ok(error instanceof Problem);
        assert.equal(error.code, code);
        assert.match(error.message, /^[\x20-\x7e]{10,200}$/);
        return true;
      },
    );
  });
}
