import { randomBytes } from 'node:crypto';
import { makeUnpackedBox } from '@cloche/pipeline/testing/models';
import sharp from 'sharp';
import { packWithImage } from './pack-with-image.ts';

/** A cube with a texture of noise, which compresses badly: 0.8 MB, of which a quarter remains. */
export async function makeNoiseModel(side = 512): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 } as const;
  const image = await sharp(randomBytes(3 * side * side), { raw })
    .png()
    .toBuffer();
  return packWithImage(makeUnpackedBox({ textured: true }), image);
}
