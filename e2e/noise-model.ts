import { randomBytes } from 'node:crypto';
import { makeUnpackedBox } from '@cloche/pipeline/testing/models';
import sharp from 'sharp';
import { packWithImage } from './pack-with-image.ts';

/**
 * Makes a cube with a texture of noise, which compresses badly. With the default length of a side, in pixels:
 * 0.8 MB, and 0.2 MB after processing.
 */
export async function makeNoiseModel(side = 512): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 } as const;
  const image = await sharp(randomBytes(3 * side * side), { raw })
    .png()
    .toBuffer();
  return packWithImage(makeUnpackedBox({ textured: true }), image);
}
