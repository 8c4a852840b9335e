/**
 * The environment map, prefiltered when the viewer is built.
 *
 * Measured without a GPU (SwiftShader, 2 cores): three.js takes about two seconds to prefilter an
 * environment; decoding this text and uploading the result takes about 20 ms.
 */
import { baseSize, encodedLevels } from 'virtual:environment';
import {
  CompressedCubeTexture,
  CubeReflectionMapping,
  LinearFilter,
  LinearMipmapLinearFilter,
  RGBAFormat,
  UnsignedByteType,
} from 'three';
import { type CubeMipLevel, decodeEnvironment, MIN_SIZE } from './environment-codec.ts';
import { toTexel } from './environment-texel.ts';

/**
 * Creates the environment map. three.js reads the data of its mip levels to upload them, and only then: it is decoded
 * at that moment, also after a loss of the context, and not kept.
 */
export function createEnvironmentMap(): CompressedCubeTexture {
  let decoded: readonly CubeMipLevel[] | undefined;
  const getLevel = (index: number): CubeMipLevel => {
    decoded ??= decodeEnvironment(encodedLevels, baseSize);
    return decoded[index] as CubeMipLevel;
  };
  const levelCount = Math.log2(baseSize / MIN_SIZE) + 1;
  const faces = Array.from({ length: 6 }, (_, face) => ({
    width: baseSize,
    height: baseSize,
    format: RGBAFormat,
    mipmaps: Array.from({ length: levelCount }, (_, index) => ({
      get data() {
        return packFace(getLevel(index), face);
      },
      width: baseSize >> index,
      height: baseSize >> index,
    })),
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
  return texture;
}

/** Returns the texels of a face. */
function packFace({ size, texels }: CubeMipLevel, face: number): Uint8Array {
  const packed = new Uint32Array(size * size);
  const start = face * packed.length;
  for (let index = 0; index < packed.length; index++)
    packed[index] = toTexel(texels[start + index] as number);
  return new Uint8Array(packed.buffer);
}
