/**
 * The environment map, prefiltered when the viewer is built.
 *
 * Measured without a GPU (SwiftShader, 2 cores): three.js takes about two seconds to prefilter an
 * environment; decoding this text and uploading the result takes about 20 ms.
 */
import { baseSize, encodedLevels } from 'virtual:environment';
import {
  CompressedCubeTexture,
  type CompressedTextureMipmap,
  CubeReflectionMapping,
  DataUtils,
  HalfFloatType,
  LinearFilter,
  LinearMipmapLinearFilter,
  RGBAFormat,
} from 'three';
import { type CubeMipLevel, decodeEnvironment } from './environment-codec.ts';

const HALF_FLOAT_ONE = 0x3c00;

/** Creates the environment map. It stays in main memory, so that it can be uploaded again after a context loss. */
export function createEnvironmentMap(): CompressedCubeTexture {
  const levels = decodeEnvironment(encodedLevels, baseSize);
  const faces = [0, 1, 2, 3, 4, 5].map((face) => ({
    width: baseSize,
    height: baseSize,
    format: RGBAFormat,
    mipmaps: levels.map((level) => toFaceMipmap(level, face)),
  }));
  // In three.js, only compressed cube textures can have given mip levels. The data is not compressed.
  const texture = new CompressedCubeTexture(faces as never, RGBAFormat as never, HalfFloatType);
  texture.mapping = CubeReflectionMapping;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.magFilter = LinearFilter;
  texture.isPMREMTexture = true;
  texture.needsUpdate = true;
  return texture;
}

function toFaceMipmap({ size: edge, texels }: CubeMipLevel, face: number): CompressedTextureMipmap {
  const count = edge * edge;
  const data = new Uint16Array(count * 4);
  for (let index = 0; index < count; index++) {
    const half = DataUtils.toHalfFloat(texels[face * count + index] ?? 0);
    data.fill(half, index * 4, index * 4 + 3);
    data[index * 4 + 3] = HALF_FLOAT_ONE;
  }
  return { data: data as never, width: edge, height: edge };
}
