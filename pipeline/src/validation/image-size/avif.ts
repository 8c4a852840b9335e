import { type ImageSize, size2d } from './types.ts';

/** Where image properties are: meta > iprp > ipco > ispe. The number is what a box has before its boxes. */
const CONTAINER_BOXES: Readonly<Record<string, number>> = { meta: 4, iprp: 0, ipco: 0 };
const MAX_BOXES = 1000;

/** The largest size an AVIF image declares: of a grid that is the whole, not a tile. */
export function parseAvifSize(bytes: Buffer): ImageSize | undefined {
  let found: ImageSize | undefined;
  let at = 0;
  for (let boxes = 0; boxes < MAX_BOXES && at + 8 <= bytes.length; boxes++) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const inside = CONTAINER_BOXES[type];
    if (inside !== undefined) {
      at += 8 + inside;
      continue;
    }
    if (type === 'ispe' && at + 20 <= bytes.length) {
      const size = size2d(bytes.readUInt32BE(at + 12), bytes.readUInt32BE(at + 16));
      if (size.pixelCount >= (found?.pixelCount ?? 0)) found = size;
    }
    // The picture itself comes last; a box without a length reaches to the end.
    if (type === 'mdat' || length < 8) break;
    at += length;
  }
  return found;
}
