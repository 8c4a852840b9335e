import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makePng } from '../../../testing/png.ts';
import { findImageSize } from './image-size.ts';

describe('findImageSize', () => {
  const rows: [kind: string, width: number, height: number, bytes: Buffer][] = [
    ['PNG', 7, 5, makePng(7, 5, [1, 2, 3])],
    ['JPEG', 640, 480, jpeg(0xc0)],
    ['JPEG', 640, 480, jpeg(0xc2)],
    ['WebP', 320, 200, webp('VP8 ', '0000009d012a4001c800')],
    ['WebP', 320, 200, webp('VP8L', '2f3fc131000000000000')],
    ['WebP', 320, 200, webp('VP8X', '000000003f0100c70000')],
    ['AVIF', 64, 48, avif()],
    ['KTX2', 256, 128, ktx2(256, 128)],
  ];
  for (const [kind, width, height, bytes] of rows) {
    it(`reads a ${kind} of ${width} × ${height}`, () => {
      const size = { width, height, pixelCount: width * height };
      assert.deepEqual(findImageSize(bytes), { kind, size });
    });
    it(`returns no size for a truncated ${kind}`, () => {
      for (let length = 12; length < 20; length++) {
        assert.equal(findImageSize(bytes.subarray(0, length))?.size, undefined);
      }
    });
  }

  it('counts the faces and layers of a KTX2', () => {
    const bytes = ktx2(16, 16);
    bytes.writeUInt32LE(3, 32);
    bytes.writeUInt32LE(6, 36);
    assert.equal(findImageSize(bytes)?.size?.pixelCount, 16 * 16 * 3 * 6);
  });

  it('returns the size of an AVIF grid, not of its last tile', () => {
    assert.equal(findImageSize(Buffer.concat([avif(), ispe(8, 8)]))?.size?.width, 64);
  });

  it('returns undefined for other formats', () => {
    for (const text of ['GIF89a', 'BM', '<svg/>', '']) {
      assert.equal(findImageSize(Buffer.from(text)), undefined);
    }
  });
});

/** The start of a JPEG: an APP0 segment, a quantization table, and a frame header of 640 × 480. */
function jpeg(frame: number): Buffer {
  const start = Buffer.from('ffd8ffe000040000ffdb0004000000', 'hex').subarray(0, 14);
  return Buffer.concat([start, Buffer.from([0xff, frame, 0, 11, 8, 1, 224, 2, 128, 1, 1, 17, 0])]);
}

function webp(chunk: string, hex: string): Buffer {
  const payload = Buffer.from(hex, 'hex');
  const header = Buffer.from(`RIFF\0\0\0\0WEBP${chunk}\x0a\0\0\0`, 'latin1');
  return Buffer.concat([header, payload]);
}

function avif(): Buffer {
  const properties = box('ipco', ispe(32, 24), ispe(64, 48));
  const meta = box('meta', Buffer.alloc(4), box('hdlr', Buffer.alloc(8)), box('iprp', properties));
  return Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0', 'latin1')), meta]);
}

function ispe(width: number, height: number): Buffer {
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  return box('ispe', size);
}

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(body.length + 8);
  header.write(type, 4);
  return Buffer.concat([header, body]);
}

function ktx2(width: number, height: number): Buffer {
  const file = Buffer.alloc(80 + 24);
  file.write('\xabKTX 20\xbb\r\n\x1a\n', 'latin1');
  file.writeUInt32LE(width, 20);
  file.writeUInt32LE(height, 24);
  file.writeUInt32LE(1, 36);
  file.writeUInt32LE(1, 40);
  return file;
}
