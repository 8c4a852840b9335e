import { crc32, deflateSync } from 'node:zlib';

import type { Vec3 } from './vector.ts';

/** Encodes 8-bit pixels, `width` to a row: indices of a palette, or else three bytes a colour. */
export function encodePng(width: number, pixels: Uint8Array, palette?: readonly Vec3[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(pixels.length / width / (palette ? 1 : 3), 4);
  header.set([8, palette ? 3 : 2], 8);
  const bytesPerPixel = palette ? 1 : 3;
  const rows = filterRows(pixels, width * bytesPerPixel, palette ? 0 : bytesPerPixel);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(palette ? [chunk('PLTE', Buffer.from(palette.flat()))] : []),
    chunk('IDAT', deflateSync(rows, { level: 6, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * Writes every row as its difference to the row above (filter 2), which suits smooth colours;
 * palette indices stay as they are (filter 0), as neighbours in number need not look alike.
 */
function filterRows(pixels: Uint8Array, stride: number, bytesPerPixel: number): Buffer {
  const height = pixels.length / stride;
  const out = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const row = pixels.subarray(y * stride, (y + 1) * stride);
    const above = pixels.subarray((y - 1) * stride, y * stride);
    const filtered = bytesPerPixel > 0 && y > 0;
    out[y * (stride + 1)] = filtered ? 2 : 0;
    out.set(filtered ? row.map((byte, x) => byte - (above[x] ?? 0)) : row, y * (stride + 1) + 1);
  }
  return out;
}

function chunk(type: string, data: Buffer): Buffer {
  const out = Buffer.alloc(data.length + 12);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, data.length + 8)), data.length + 8);
  return out;
}
