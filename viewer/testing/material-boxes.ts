/** Models with many materials, for the tests of shaders. */
import sharp from 'sharp';
import { createBoxGlb, type LooseGltfJson } from './box-models.ts';

export const LIGHT = 'KHR_lights_punctual';
/** With it, materials have the shaders of three.js, and look the same. */
export const NO_LIGHT = { lights: [{ type: 'directional', intensity: 0 }] };

/** Boxes in rows of three, with one material each. All are rotated differently, except in the first row. The texture 0 is lilac. */
export async function createBoxes(
  materials: readonly LooseGltfJson[],
  extensions: LooseGltfJson = {},
) {
  const image = { width: 4, height: 4, channels: 3, background: '#a07adc' } as const;
  const bytes = await sharp({ create: image }).png().toBuffer();
  return createBoxGlb({
    extraBufferViews: [bytes],
    change: (gltf) => {
      const [mesh] = gltf.meshes as { primitives: object[] }[];
      gltf.meshes = materials.map((_, material) => ({
        primitives: mesh?.primitives.map((primitive) => ({ ...primitive, material })),
      }));
      gltf.nodes = materials.map((_, index) => ({
        mesh: index,
        translation: [1.3 * (index % 3), 0, -1.3 * Math.floor(index / 3)],
        rotation: rotateY(index < 3 ? 0 : index),
      }));
      gltf.scenes = [{ nodes: materials.map((_, index) => index) }];
      gltf.textures = [{ source: 0 }];
      gltf.images = [{ bufferView: 4, mimeType: 'image/png' }];
      Object.assign(gltf, { materials, extensionsUsed: Object.keys(extensions), extensions });
      if (LIGHT in extensions)
        Object.assign((gltf.nodes as object[])[0] ?? {}, { extensions: { [LIGHT]: { light: 0 } } });
    },
  });
}

/** Returns a quaternion. Radians. */
function rotateY(angle: number): number[] {
  return [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
}
