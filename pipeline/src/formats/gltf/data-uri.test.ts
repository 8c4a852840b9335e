import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeDataUri } from './data-uri.ts';

describe('decodeDataUri', () => {
  const longType = `application/${'x'.repeat(300)}`;
  const rows: [reason: string, uri: string, text: string | undefined][] = [
    ['base64', 'data:application/octet-stream;base64,YWJj', 'abc'],
    ['base64 without a type', 'data:;base64,YWJj', 'abc'],
    ['upper case', 'DATA:;BASE64,YWJj', 'abc'],
    ['base64 after a long type', `data:${longType};base64,YWJj`, 'abc'],
    ['percent-encoding', 'data:text/plain,a%20b', 'a b'],
    ['no bytes', 'data:,', ''],
    ['no comma', 'data:text/plain', undefined],
    ['an incomplete escape', 'data:,a%2', undefined],
    ['another scheme', 'http://data:,a', undefined],
  ];
  for (const [reason, uri, text] of rows) {
    it(`${text === undefined ? 'refuses' : 'decodes'} ${reason}`, () => {
      assert.equal(decodeDataUri(uri)?.toString(), text);
    });
  }
});
