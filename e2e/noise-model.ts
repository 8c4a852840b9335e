import { randomBytes } from 'node:crypto';
import { makeUnpackedBox } from '@cloche/pipeline/testing/models';
import sharp from 'sharp';
import { packWithImage } from './pack-with-image.ts';

const SIDE = 512;

/** Makes a cube with a texture of noise, which compresses badly: 0.8 MB, and 0.2 MB after processing. */
export async function makeNoiseModel(): Promise<Buffer> {
  const raw = { width: SIDE, height: SIDE, channels: 3 } as const;
  const image = await sharp(randomBytes(3 * SIDE * SIDE), { raw })
    .png()
    .toBuffer();
  return packWithImage(makeUnpackedBox({ textured: true }), image);
}
