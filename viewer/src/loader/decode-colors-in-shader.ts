import {
  type MeshStandardMaterial,
  type Object3D,
  RGBAFormat,
  type Texture,
  UnsignedByteType,
  type WebGLRenderer,
} from 'three';
import { rendersInSoftware } from '../renderer/software-rendering.ts';
import { listMaterials } from '../scene/model-materials.ts';

/** Extensions with other color textures, which the shader of three.js cannot decode. A base color may share its texture with them. */
const OTHER_COLORS = ['KHR_materials_sheen', 'KHR_materials_specular'];

/**
 * Without a GPU, lets the shader decode the sRGB colors of textures, once for each pixel: the software renderer would decode each texel that
 * it reads, up to eight for a pixel, and compile a program for that. The texels are then averaged before they are decoded, so details smaller than a pixel
 * can be a little darker. Posters, which all visitors see, are rendered as with a GPU.
 */
export function decodeColorsInShader(
  root: Object3D,
  usedExtensions: ReadonlySet<string>,
  renderer: WebGLRenderer,
): void {
  if (!rendersInSoftware(renderer)) return;
  if (OTHER_COLORS.some((name) => usedExtensions.has(name))) return;
  root.traverse((object) => {
    for (const { map, emissiveMap } of listMaterials(object) as Partial<MeshStandardMaterial>[]) {
      for (const texture of [map, emissiveMap]) {
        // The format without sRGB. The build lets three.js decode textures that have it: viewer/build/three-replacements.ts.
        if (texture && hasBytes(texture)) texture.internalFormat = 'RGBA8';
      }
    }
  });
}

/** Compressed textures have no format without decoding, and a KTX2 file may contain other numbers than bytes. */
function hasBytes(texture: Texture): boolean {
  const { format, type } = texture;
  return !('isCompressedTexture' in texture) && format === RGBAFormat && type === UnsignedByteType;
}
