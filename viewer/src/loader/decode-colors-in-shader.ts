import type { MeshStandardMaterial, Object3D, WebGLRenderer } from 'three';
import { isSoftwareRenderer } from '../renderer/software-renderer.ts';
import { listMaterials } from '../scene/model-materials.ts';

/** Extensions with other color textures, which the shader of three.js cannot decode. An image may be used for both. */
const OTHER_COLORS = ['KHR_materials_sheen', 'KHR_materials_specular'];

/**
 * Without a GPU, lets the shader decode the sRGB colors of textures, once for each pixel: its replacement in software would decode each texel
 * that it reads, up to eight, and compile a program for that. The texels are then averaged before they are decoded, so details smaller than a pixel
 * can be a little darker. Posters, which all visitors see, are rendered as with a GPU.
 */
export function decodeColorsInShader(
  root: Object3D,
  usedExtensions: ReadonlySet<string>,
  renderer: WebGLRenderer,
): void {
  if (document.documentElement.dataset.posterMode !== undefined) return;
  if (OTHER_COLORS.some((name) => usedExtensions.has(name))) return;
  if (!isSoftwareRenderer(renderer.getContext() as WebGL2RenderingContext)) return;
  root.traverse((object) => {
    for (const { map, emissiveMap } of listMaterials(object) as Partial<MeshStandardMaterial>[]) {
      for (const texture of [map, emissiveMap]) {
        // The format without sRGB. The build lets three.js decode textures that have it: viewer/build/three-replacements.ts.
        if (texture && !('isCompressedTexture' in texture)) texture.internalFormat = 'RGBA8';
      }
    }
  });
}
