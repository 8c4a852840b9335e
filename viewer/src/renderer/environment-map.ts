/**
 * The studio light, prefiltered when the viewer was built.
 *
 * Measured without a GPU (SwiftShader, 2 cores): letting three.js prefilter an environment at start
 * takes about two seconds; decoding this text and handing it to WebGL takes about 20 ms.
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

/** Makes the environment that lights the stage. It lives in main memory, so a lost context keeps it. */
export function createEnvironmentMap(): CompressedCubeTexture {
  const levels = decodeEnvironment(encodedLevels, baseSize);
  const faces = [0, 1, 2, 3, 4, 5].map((face) => ({
    width: baseSize,
    height: baseSize,
    format: RGBAFormat,
    mipmaps: levels.map((level) => toFaceMipmap(level, face)),
  }));
  // "Compressed" is how three.js names a cube map that brings its own mip levels.
  const light = new CompressedCubeTexture(faces as never, RGBAFormat as never, HalfFloatType);
  light.mapping = CubeReflectionMapping;
  light.minFilter = LinearMipmapLinearFilter;
  light.magFilter = LinearFilter;
  light.isPMREMTexture = true;
  light.needsUpdate = true;
  return light;
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
