import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const ROWS_PER_BLOCK = 100;
/** A final deflate block without data. */
const EMPTY_FINAL_BLOCK = Buffer.from([0x03, 0x00]);

/** Creates a PNG of one color. */
export function makePng(
  width: number,
  height: number,
  [red, green, blue]: readonly [number, number, number],
): Buffer {
  const row = Buffer.concat([
    Buffer.alloc(1),
    Buffer.alloc(3 * width, Buffer.from([red, green, blue])),
  ]);
  const rows = Buffer.concat(new Array<Buffer>(height).fill(row));
  return assemblePng(width, height, deflateSync(rows));
}

/** Creates a PNG of one pixel whose header declares another size. */
export function makePngWithDeclaredSize(width: number, height: number): Buffer {
  const png = makePng(1, 1, [0, 0, 0]);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

/**
 * Creates a valid, black, square PNG that decompresses to 1000 times its size.
 *
 * Some rows are deflated once and then repeated, because deflating all of them takes seconds.
 *
 * @param side in pixels, a multiple of 100
 */
export function makeBlackPng(side: number): Buffer {
  const rows = Buffer.alloc(ROWS_PER_BLOCK * (1 + 3 * side));
  const repetitions = side / ROWS_PER_BLOCK;
  const deflated = deflateRawSync(rows, { finishFlush: constants.Z_FULL_FLUSH, level: 9 });
  // The Adler-32 checksum of zeros.
  const checksum = Buffer.alloc(4);
  checksum.writeUInt16BE((rows.length * repetitions) % 65_521, 0);
  checksum.writeUInt16BE(1, 2);
  const zlibStream = Buffer.concat([
    Buffer.from([0x78, 0xda]),
    ...new Array<Buffer>(repetitions).fill(deflated),
    EMPTY_FINAL_BLOCK,
    checksum,
  ]);
  return assemblePng(side, side, zlibStream);
}

function assemblePng(width: number, height: number, zlibStream: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per channel, RGB; then the only compression and filter methods, and no interlacing.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    encodePngChunk('IHDR', header),
    encodePngChunk('IDAT', zlibStream),
    encodePngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function encodePngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}
