import type { Document } from '@gltf-transform/core';
import { EXTTextureWebP } from '@gltf-transform/extensions';
import { getTextureChannelMask, listTextureSlots } from '@gltf-transform/functions';
import sharp from 'sharp';

/** Makes textures no larger than an embed can show, and stores them as small as looks the same. */
export async function shrinkTextures(
  document: Document,
  { maxTextureSize }: { maxTextureSize: number },
  tell: (done: number) => void,
): Promise<void> {
  const textures = document.getRoot().listTextures();
  for (const [at, texture] of textures.entries()) {
    const image = texture.getImage();
    if (image && texture.getMimeType() !== 'image/ktx2') {
      const slots = listTextureSlots(texture);
      const mask = getTextureChannelMask(texture);
      const picture = sharp(image).resize({
        width: maxTextureSize,
        height: maxTextureSize,
        fit: 'inside',
        withoutEnlargement: true,
      });
      const q = slots.some((it) => /normal/i.test(it)) ? 80 : 80;
      const webp = await (mask & 0x1000 ? picture : picture.removeAlpha())
        .webp({ quality: q, effort: 4 })
        .toBuffer();
      if (webp.length < image.length) {
        texture.setImage(webp).setMimeType('image/webp');
        document.createExtension(EXTTextureWebP).setRequired(true);
      }
    }
    tell((at + 1) / textures.length);
  }
}
