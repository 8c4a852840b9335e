import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeStl } from '../../../testing/formats/stl.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { validateModel } from '../validate-model.ts';
import { isBinaryStl } from './binary-stl.ts';

describe('isBinaryStl', () => {
  const binary = makeStl({ name: 'solid cube' });
  const rows: [description: string, bytes: Buffer, expected: boolean][] = [
    ['a binary file whose header begins with "solid"', binary, true],
    ['a binary file that was cut off', binary.subarray(0, -1), false],
    ['an ASCII file', makeStl({ ascii: true }), false],
    ['a file shorter than the header', binary.subarray(0, 80), false],
  ];
  for (const [description, bytes, expected] of rows) {
    it(`is ${expected} for ${description}`, () => {
      assert.equal(isBinaryStl(bytes, bytes.length), expected);
    });
  }

  it('makes the validation accept a binary file whose header begins with "solid"', async () => {
    const { detectedFormat } = await validateModel(createBufferReader(binary));
    assert.equal(detectedFormat.format, 'stl');
  });
});
