import { constants, crc32, deflateRawSync } from 'node:zlib';

const ROWS_PER_BLOCK = 100;
/** An end of a deflate stream that has ended already: a last block of nothing. */
const EMPTY_FINAL_BLOCK = Buffer.from([0x03, 0x00]);

/**
 * A square PNG of black, whole in every bit: each 1000 bytes of its pixels take one in the file. Some
 * rows are deflated once and then repeated, for all of them would take seconds. `side` is a
 * multiple of 100.
 */
export function makeBlackPng(side: number): Buffer {
  const rows = Buffer.alloc(ROWS_PER_BLOCK * (1 + 3 * side));
  const times = side / ROWS_PER_BLOCK;
  const deflated = deflateRawSync(rows, { finishFlush: constants.Z_FULL_FLUSH, level: 9 });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.writeUInt8(8, 8);
  head.writeUInt8(2, 9);
  // Adler-32 of nothing but zeros.
  const sum = Buffer.alloc(4);
  sum.writeUInt16BE((rows.length * times) % 65_521, 0);
  sum.writeUInt16BE(1, 2);
  const pixels = [
    Buffer.from([0x78, 0xda]),
    ...new Array(times).fill(deflated),
    EMPTY_FINAL_BLOCK,
    sum,
  ];
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    encodePngChunk('IHDR', head),
    encodePngChunk('IDAT', Buffer.concat(pixels)),
    encodePngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function encodePngChunk(type: string, bytes: Buffer): Buffer {
  const whole = Buffer.alloc(12 + bytes.length);
  whole.writeUInt32BE(bytes.length, 0);
  whole.write(type, 4, 'latin1');
  bytes.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, -4)), whole.length - 4);
  return whole;
}
