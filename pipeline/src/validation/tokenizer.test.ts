import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Tokenizer } from './tokenizer.ts';

const createTokenizer = (text: string) => new Tokenizer(Buffer.from(text, 'latin1'));

describe('Tokenizer', () => {
  const NUMBERS: [text: string, value: number][] = [
    ['1', 1],
    ['-0.5', -0.5],
    ['+.25', 0.25],
    ['1e-3', 0.001],
    ['-1.5E+2', -150],
    ['0.1', 0.1],
    ['123456.123456789012', Number('123456.123456789012')],
    ['0.00000000000000000000000000001', 1e-29],
    ['x', NaN],
    ['', NaN],
    ['Infinity', NaN],
    ['-', NaN],
  ];
  for (const [text, value] of NUMBERS) {
    it(`reads ${text || 'nothing'} as ${value}`, () => {
      assert.equal(createTokenizer(text).readNumber(), value);
      assert.equal(createTokenizer(` ${text} \n2`).readNumber(), value);
    });
  }

  it('reaches the end, whatever the bytes', () => {
    for (let byte = 0; byte < 256; byte++) {
      const tokenizer = new Tokenizer(Buffer.from([byte, byte, 10, byte]));
      for (let count = 0; count < 20 && !tokenizer.isAtEnd; count++)
        if (tokenizer.readToken() === '') tokenizer.skipLine();
      assert.ok(tokenizer.isAtEnd);
    }
  });

  it('continues a line that ends with a backslash', () => {
    const tokenizer = createTokenizer('f 1 \\\r\n 2\n3');
    assert.deepEqual(
      [
        tokenizer.readToken(),
        tokenizer.readNumber(),
        tokenizer.readNumber(),
        tokenizer.hasTokenOnLine(),
      ],
      ['f', 1, 2, false],
    );
  });
});
