import { randomBytes } from 'node:crypto';
import { makeNoisePng } from '@cloche/pipeline/testing/full-featured-model';
import { makeBox } from '@cloche/pipeline/testing/models';
import { WebIO } from '@gltf-transform/core';
import sharp from 'sharp';

/** A box with a large texture, of `size` pixels, which gets texture packs, and a small one that compresses badly. */
export async function makeLargeTextureModel(size = 2048): Promise<Uint8Array> {
  const document = await new WebIO().readBinary(new Uint8Array(makeBox({ color: [1, 1, 1] })));
  const raw = { width: 512, height: 512, channels: 3 } as const;
  const noise = await sharp(randomBytes(3 * 512 * 512), { raw })
    .png()
    .toBuffer();
  const toTexture = (image: Uint8Array) =>
    document.createTexture().setImage(new Uint8Array(image)).setMimeType('image/png');
  document
    .getRoot()
    .listMaterials()[0]
    ?.setBaseColorTexture(toTexture(await makeNoisePng(size)))
    .setEmissiveFactor([0.1, 0.1, 0.1])
    .setEmissiveTexture(toTexture(noise));
  return new WebIO().writeBinary(document);
}
