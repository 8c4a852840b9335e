import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makePly } from '../../../testing/formats/ply.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { validateModel } from '../validate-model.ts';
import { parsePlyHeader } from './header.ts';

const withComment = (text: string) =>
  Buffer.from(makePly().toString().replace('element face', `comment ${text}\nelement face`));

describe('parsePlyHeader', () => {
  for (const lineEnd of ['\n', '\r\n', '\r'] as const) {
    it(`finds the data after a header whose lines end with ${JSON.stringify(lineEnd)}`, () => {
      const ply = makePly({ format: 'binary_little_endian', lineEnd });
      const { dataOffset, elements } = parsePlyHeader(ply);
      assert.equal(ply.length - dataOffset, 8 * 15 + 6 * 17);
      assert.deepEqual(
        elements.map(({ name, count }) => [name, count]),
        [
          ['vertex', 8],
          ['face', 6],
        ],
      );
    });
  }

  it('treats a first data byte of LF as data if lines end with CR', () => {
    const head = Buffer.from(
      'ply\rformat binary_little_endian 1.0\relement vertex 1\rproperty uchar x\rend_header\r',
    );
    const { dataOffset } = parsePlyHeader(Buffer.concat([head, Buffer.from('\n')]));
    assert.equal(dataOffset, head.length);
  });

  it('does not end the header at a comment that mentions end_header', () => {
    const { elements } = parsePlyHeader(withComment('end_header'));
    assert.deepEqual(
      elements.map(({ name }) => name),
      ['vertex', 'face'],
    );
  });

  it('lets the validation check the faces after such a comment', async () => {
    const valid = withComment('end_header');
    const invalid = Buffer.from(valid.toString().replace('4 0 2 3 1\n', '4 0 2 3 100\n'));
    await validateModel(createBufferReader(valid));
    await assert.rejects(validateModel(createBufferReader(invalid)), {
      message: /refers to vertex 100, but there are 8\.$/,
    });
  });

  it('rejects a header without end_header', () => {
    assert.throws(() => parsePlyHeader(Buffer.from('ply\nformat ascii 1.0\n')), {
      code: 'design.unreadable',
    });
  });
});
