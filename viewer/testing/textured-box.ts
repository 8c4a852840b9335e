import sharp from 'sharp';
import { createBoxGlb, type GlbBytes, type LooseGltfJson } from './box-models.ts';

/** Creates a box with an image of one color, by default red, which two textures show. */
export async function createTexturedBox(background = '#dc1414'): Promise<GlbBytes> {
  const image = { width: 8, height: 8, channels: 3, background } as const;
  const change = (gltf: LooseGltfJson) =>
    Object.assign(gltf, {
      extensionsUsed: ['KHR_texture_transform'],
      materials: [
        {
          pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 },
          emissiveFactor: [0.01, 0.01, 0.01],
          emissiveTexture: { index: 0, extensions: { KHR_texture_transform: { scale: [2, 2] } } },
        },
      ],
      textures: [{ source: 0 }],
      images: [{ bufferView: 4, mimeType: 'image/png' }],
    });
  return createBoxGlb({
    extraBufferViews: [await sharp({ create: image }).png().toBuffer()],
    change,
  });
}
