import type { GLTF } from '@gltf-transform/core';
import type { EncodedImage } from '../textures/encode-texture.ts';
import { encodeGlbContainer } from '../write/encode-glb.ts';

const WEBP_EXTENSION = 'EXT_texture_webp';

/** Writes images as a GLB with nothing else. The image at each position has a texture of its own. */
export function writeTexturePack(images: readonly EncodedImage[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  const bufferViews: GLTF.IBufferView[] = [];
  let length = 0;
  for (const { image } of images) {
    const padding = new Uint8Array((4 - (image.length % 4)) % 4);
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: image.length });
    pieces.push(image, padding);
    length += image.length + padding.length;
  }
  const usesWebp = images.some(({ mimeType }) => mimeType === 'image/webp');
  const json: GLTF.IGLTF = {
    asset: { version: '2.0' },
    ...(usesWebp && { extensionsUsed: [WEBP_EXTENSION], extensionsRequired: [WEBP_EXTENSION] }),
    images: images.map(({ mimeType }, index) => ({ bufferView: index, mimeType })),
    textures: images.map(({ mimeType }, source) =>
      mimeType === 'image/webp' ? { extensions: { [WEBP_EXTENSION]: { source } } } : { source },
    ),
    bufferViews,
    buffers: [{ byteLength: length }],
  };
  return encodeGlbContainer(json, pieces);
}
