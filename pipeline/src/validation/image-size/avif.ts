import { type ImageSize, toImageSize } from './image-types.ts';

/** Boxes that contain image properties, with the bytes between their header and their first child box. */
const CONTAINER_BOXES: Readonly<Record<string, number>> = { meta: 4, iprp: 0, ipco: 0 };
const MAX_BOXES = 1000;

/** Reads the largest size that an AVIF declares: for a grid, that of the whole image, not of a tile. */
export function parseAvifSize(bytes: Buffer): ImageSize | undefined {
  let largest: ImageSize | undefined;
  let offset = 0;
  for (let boxes = 0; boxes < MAX_BOXES && offset + 8 <= bytes.length; boxes++) {
    const length = bytes.readUInt32BE(offset);
    const type = bytes.toString('latin1', offset + 4, offset + 8);
    const childOffset = CONTAINER_BOXES[type];
    if (childOffset !== undefined) {
      offset += 8 + childOffset;
      continue;
    }
    if (type === 'ispe' && offset + 20 <= bytes.length) {
      const size = toImageSize(bytes.readUInt32BE(offset + 12), bytes.readUInt32BE(offset + 16));
      if (size.pixelCount >= (largest?.pixelCount ?? 0)) largest = size;
    }
    // No sizes follow the image data. A box with length 0 extends to the end of the file.
    if (type === 'mdat' || length < 8) break;
    offset += length;
  }
  return largest;
}
