import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quoteUntrusted, toSingleLine } from './untrusted-text.ts';

const rows: [reason: string, text: string, quoted: string, line: string][] = [
  ['plain text', 'box.glb', '"box.glb"', 'box.glb'],
  ['other scripts', 'Ελλάς 中文 ü', '"Ελλάς 中文 ü"', 'Ελλάς 中文 ü'],
  ['emoji', '😀', '"😀"', '😀'],
  ['empty text', '', '""', ''],
  ['quotation marks', 'a"b', '"a\uFFFDb"', 'a"b'],
  ['line breaks', 'a\r\n b', '"a\uFFFD\uFFFD b"', 'a b'],
  ['Unicode line separators', 'a\u2028\u2029b', '"a\uFFFD\uFFFDb"', 'a b'],
  ['NUL', 'a\0b', '"a\uFFFDb"', 'a b'],
  ['terminal escapes', '\x1b[31mred', '"\uFFFD[31mred"', '[31mred'],
  ['C1 control characters', 'a\x9bb', '"a\uFFFDb"', 'a b'],
  ['bidi overrides', 'a\u202egpj.b', '"a\uFFFDgpj.b"', 'a gpj.b'],
  ['bidi isolates', 'a\u2066b', '"a\uFFFDb"', 'a b'],
  ['zero-width characters', 'a\u200bb\ufeff', '"a\uFFFDb\uFFFD"', 'a b'],
  ['lone surrogates', 'a\ud800b', '"a\uFFFDb"', 'a b'],
  ['private use characters', 'a\ue000b', '"a\uFFFDb"', 'a b'],
  ['spaces', '  a \u00a0\t b ', '"  a \u00a0\uFFFD b "', 'a b'],
];

describe('quoteUntrusted', () => {
  for (const [reason, text, quoted] of rows) {
    it(`quotes ${reason}`, () => {
      assert.equal(quoteUntrusted(text), quoted);
      assert.ok(quoteUntrusted(text).isWellFormed());
    });
  }

  it('shortens text to 60 code points, or to the given number', () => {
    assert.equal(quoteUntrusted('x'.repeat(60)), `"${'x'.repeat(60)}"`);
    assert.equal(quoteUntrusted('x'.repeat(61)), `"${'x'.repeat(60)}…"`);
    assert.equal(quoteUntrusted('x'.repeat(1e6), 3), '"xxx…"');
  });

  it('does not cut between surrogates', () => {
    assert.equal(quoteUntrusted('😀😀😀', 3), '"😀😀😀"');
    assert.equal(quoteUntrusted('😀😀😀😀', 3), '"😀😀😀…"');
    assert.equal(quoteUntrusted('a😀😀😀', 2), '"a😀…"');
  });
});

describe('toSingleLine', () => {
  for (const [reason, text, , line] of rows) {
    it(`cleans ${reason}`, () => {
      assert.equal(toSingleLine(text, 100), line);
      assert.ok(toSingleLine(text, 100).isWellFormed());
    });
  }

  it('shortens text to the given number of code points', () => {
    assert.equal(toSingleLine('x'.repeat(10), 10), 'x'.repeat(10));
    assert.equal(toSingleLine('x'.repeat(11), 10), `${'x'.repeat(9)}…`);
    assert.equal(toSingleLine('😀'.repeat(10), 10), '😀'.repeat(10));
    assert.equal(toSingleLine('😀'.repeat(11), 10), `${'😀'.repeat(9)}…`);
  });
});
