import sharp from 'sharp';
import { createBoxGlb, type GlbBytes, type LooseGltfJson } from './box-models.ts';

/** Creates a box that is not metal, with an image (PNG) on each side. `texture`: more members of its reference to the texture. */
export function createImageBox(image: Buffer, texture: LooseGltfJson = {}): GlbBytes {
  const baseColorTexture = { index: 0, ...texture };
  const change = (gltf: LooseGltfJson) =>
    Object.assign(gltf, {
      extensionsUsed: Object.keys(texture.extensions ?? {}),
      materials: [{ pbrMetallicRoughness: { baseColorTexture, metallicFactor: 0 } }],
      textures: [{ source: 0 }],
      images: [{ bufferView: 4, mimeType: 'image/png' }],
    });
  return createBoxGlb({ extraBufferViews: [image], change });
}

/** Creates a box with an image of one color, by default red, which two textures show. As a WebP, an extension names it. */
export async function createTexturedBox(
  background = '#dc1414',
  format: 'png' | 'webp' = 'png',
): Promise<GlbBytes> {
  const image = { width: 8, height: 8, channels: 3, background } as const;
  const change = (gltf: LooseGltfJson) =>
    Object.assign(gltf, {
      extensionsUsed: ['KHR_texture_transform', 'EXT_texture_webp'],
      materials: [
        {
          pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 },
          emissiveFactor: [0.01, 0.01, 0.01],
          emissiveTexture: { index: 0, extensions: { KHR_texture_transform: { scale: [2, 2] } } },
        },
      ],
      textures: [
        format === 'png' ? { source: 0 } : { extensions: { EXT_texture_webp: { source: 0 } } },
      ],
      images: [{ bufferView: 4, mimeType: `image/${format}` }],
    });
  return createBoxGlb({
    extraBufferViews: [await sharp({ create: image }).toFormat(format).toBuffer()],
    change,
  });
}
