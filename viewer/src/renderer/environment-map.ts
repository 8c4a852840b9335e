/**
 * The environment map, prefiltered when the viewer is built.
 *
 * Measured without a GPU (SwiftShader, 2 cores): three.js takes about two seconds to prefilter an
 * environment; decoding this text takes 10 to 30 ms.
 */
import { baseSize, encodedLevels } from 'virtual:environment';
import {
  CompressedCubeTexture,
  CubeReflectionMapping,
  LinearFilter,
  LinearMipmapLinearFilter,
  type MeshPhysicalMaterial,
  type Object3D,
  RGBAFormat,
  UnsignedByteType,
} from 'three';
import { listMaterials } from '../scene/model-materials.ts';
import { decodeEnvironment, type LogarithmicMipLevel, MIN_SIZE } from './environment-codec.ts';
import { createTexelTable, packTexels } from './environment-texel.ts';

/** Mip levels of the environment map. */
const LEVEL_COUNT = Math.log2(baseSize / MIN_SIZE) + 1;

/**
 * three.js reads the sharpest level only for surfaces of a lower roughness: `roughnessToMip` in its shaders is the inverse function.
 * Not exactly the limit, because the numbers of the GPU are rounded.
 */
const MAX_SMOOTH_ROUGHNESS = 1 - Math.sqrt(1 - 1 / (LEVEL_COUNT - 1)) + 0.01;

/** The environment map, without its sharpest level until that is needed: it has three quarters of the texels. */
export type EnvironmentMap = {
  texture: CompressedCubeTexture;
  /** Adds the sharpest level if a model may have a smooth surface. */
  addReflectionsFor: (model: ModelWithMaterials) => void;
};

/** A model, and its variants. Their materials are unknown until they are selected, so any variants count as smooth. */
type ModelWithMaterials = { root: Object3D; variants?: unknown };

/**
 * Creates the environment map. three.js reads the data of its mip levels to upload them, and only then: it is decoded
 * at that moment, also after a loss of the context, and not kept.
 */
export function createEnvironmentMap(): EnvironmentMap {
  let isSharp = false;
  let decoded: { levels: readonly LogarithmicMipLevel[]; table: Int32Array } | undefined;
  const readFace = (size: number, face: number): Uint8Array => {
    if (size === baseSize && !isSharp) return new Uint8Array(4 * size * size);
    decoded ??= {
      levels: decodeEnvironment(encodedLevels, isSharp ? baseSize : baseSize / 2),
      table: createTexelTable(),
    };
    const { levels, table } = decoded;
    const { logarithms } = levels.find((level) => level.size === size) as LogarithmicMipLevel;
    const start = face * size * size;
    return packTexels(logarithms.subarray(start, start + size * size), table);
  };
  const faces = Array.from({ length: 6 }, (_, face) => ({
    width: baseSize,
    height: baseSize,
    format: RGBAFormat,
    mipmaps: Array.from({ length: LEVEL_COUNT }, (_, level) => {
      const size = baseSize >> level;
      return {
        get data() {
          return readFace(size, face);
        },
        width: size,
        height: size,
      };
    }),
  }));
  // In three.js, only compressed cube textures can have given mip levels. The data is not compressed.
  const texture = new CompressedCubeTexture(faces as never, RGBAFormat as never, UnsignedByteType);
  texture.mapping = CubeReflectionMapping;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.magFilter = LinearFilter;
  texture.isPMREMTexture = true;
  texture.needsUpdate = true;
  texture.onUpdate = () => {
    decoded = undefined;
  };
  const addReflectionsFor = ({ root, variants }: ModelWithMaterials) => {
    if (isSharp || (variants === undefined && !hasSmoothSurface(root))) return;
    isSharp = true;
    texture.needsUpdate = true;
  };
  return { texture, addReflectionsFor };
}

/** Whether a material may reflect the sharpest level. What an image says of the roughness is not known. */
function hasSmoothSurface(root: Object3D): boolean {
  let found = false;
  root.traverse((object) => {
    for (const material of listMaterials(object) as Partial<MeshPhysicalMaterial>[]) {
      const { roughness, roughnessMap, clearcoat = 0 } = material;
      if (roughness === undefined) continue;
      found ||= roughness < MAX_SMOOTH_ROUGHNESS || Boolean(roughnessMap) || clearcoat > 0;
    }
  });
  return found;
}
