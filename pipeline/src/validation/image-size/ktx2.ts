import type { ImageSize } from './image-types.ts';

const KTX2_HEADER_BYTES = 80;
const LEVEL_INDEX_BYTES = 24;
/** Bytes per pixel of the largest format. */
const MAX_PIXEL_BYTES = 16;
/** Allowed in addition, because small levels are rounded up to whole blocks. */
const BLOCK_ROUNDING_BYTES = 4096;

/**
 * Reads the size from a KTX2 header.
 *
 * @returns undefined if the header is damaged, or if a level declares more uncompressed bytes than its
 *   pixels can need, because the decoder of the viewer allocates that many
 */
export function parseKtx2Size(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < KTX2_HEADER_BYTES) return undefined;
  const [width = 0, height = 0, depth = 0, layers = 0, faces = 0, levels = 0] = Array.from(
    { length: 6 },
    (_, index) => bytes.readUInt32LE(20 + 4 * index),
  );
  if (levels > 32 || bytes.length < KTX2_HEADER_BYTES + levels * LEVEL_INDEX_BYTES)
    return undefined;

  const pixelCount = width * height * Math.max(depth, 1) * Math.max(layers, 1) * Math.max(faces, 1);
  for (let level = 0; level < levels; level++) {
    const uncompressedBytes = bytes.readBigUInt64LE(
      KTX2_HEADER_BYTES + level * LEVEL_INDEX_BYTES + 16,
    );
    if (uncompressedBytes > BigInt(pixelCount * MAX_PIXEL_BYTES + BLOCK_ROUNDING_BYTES))
      return undefined;
  }
  return { width, height, pixelCount };
}
