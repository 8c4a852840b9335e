import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseEntryName } from './entry-names.ts';

describe('the name of an entry of a zip', () => {
  const rows: [from: string, bytes: Buffer, name: string][] = [
    ['UTF-8 that is not declared', Buffer.from('Möbel/Été.png'), 'Möbel/Été.png'],
    // As Windows Explorer and 7-Zip write it.
    ['code page 850', Buffer.from('4d9462656c2f907482', 'hex'), 'Möbel/Été'],
    ['code page 850', Buffer.from('5374fce1', 'hex'), 'St³ß'],
    ['a name with backslashes', Buffer.from('a\\b\\'), 'a/b/'],
  ];
  for (const [from, bytes, name] of rows) {
    it(`is read from ${from}: ${name}`, () => {
      assert.equal(parseEntryName(bytes, false), name);
    });
  }

  it('does not lead out of the archive', () => {
    for (const name of ['..\\a', 'a\\..\\..\\b', 'a/..\\b', 'a\\..']) {
      assert.throws(() => parseEntryName(Buffer.from(name), false), /leads out/, name);
    }
    for (const name of ['\\a', '\\\\server\\a', 'C:\\a', 'c:a']) {
      assert.throws(() => parseEntryName(Buffer.from(name), false), /absolute path/, name);
    }
  });

  it('has no control characters', () => {
    assert.throws(() => parseEntryName(Buffer.from('a\x07b'), false), /control characters/);
    assert.throws(() => parseEntryName(Buffer.from('a\u0085b'), true), /control characters/);
  });
});
