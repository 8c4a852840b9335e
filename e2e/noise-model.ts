import { randomBytes } from 'node:crypto';
import { makeGlb, makeUnpackedBox } from '@cloche/pipeline/testing/models';
import sharp from 'sharp';

/** A cube that wears noise, which nothing makes much smaller: 0.8 MB, of which a quarter remains. */
export async function makeNoiseModel(side = 512): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 } as const;
  const image = await sharp(randomBytes(3 * side * side), { raw })
    .png()
    .toBuffer();
  const { json, bin } = makeUnpackedBox({ textured: true });
  const bufferViews = json.bufferViews as object[];
  bufferViews.push({ buffer: 0, byteOffset: bin.length, byteLength: image.length });
  json.images = [{ bufferView: bufferViews.length - 1, mimeType: 'image/png' }];
  json.buffers = [{ byteLength: bin.length + image.length }];
  return makeGlb({ json, bin: Buffer.concat([bin, image]) });
}
