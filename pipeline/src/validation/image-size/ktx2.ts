import type { ImageSize } from './types.ts';

const KTX2_HEADER_BYTES = 80;
const LEVEL_INDEX_BYTES = 24;
/** A level of the largest format, 16 bytes a pixel, plus what small blocks round up to. */
const MAX_PIXEL_BYTES = 16;
const BLOCK_ROUNDING_BYTES = 4096;

/**
 * Reads the size out of a KTX2 header. Undefined when it is damaged, or when a level says that it
 * decompresses to more than its pixels can need: the viewer's decoder allocates what is said.
 */
export function parseKtx2Size(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < KTX2_HEADER_BYTES) return undefined;
  const [width = 0, height = 0, depth = 0, layers = 0, faces = 0, levels = 0] = Array.from(
    { length: 6 },
    (_, at) => bytes.readUInt32LE(20 + 4 * at),
  );
  if (levels > 32 || bytes.length < KTX2_HEADER_BYTES + levels * LEVEL_INDEX_BYTES)
    return undefined;

  const pixelCount = width * height * Math.max(depth, 1) * Math.max(layers, 1) * Math.max(faces, 1);
  for (let level = 0; level < levels; level++) {
    const decoded = bytes.readBigUInt64LE(KTX2_HEADER_BYTES + level * LEVEL_INDEX_BYTES + 16);
    if (decoded > BigInt(pixelCount * MAX_PIXEL_BYTES + BLOCK_ROUNDING_BYTES)) return undefined;
  }
  return { width, height, pixelCount };
}
