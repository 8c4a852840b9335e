/** Fits the polynomials that src/renderer/rough-material-shader.ts has in the place of textures. */
import { DataUtils } from 'three';
import { getDFGLUT } from 'three/src/renderers/shaders/DFGLUTData.js';
import type { CubeMipLevel } from '../../src/renderer/environment-codec.ts';
import { radianceTerms, reflectanceTerms } from '../../src/renderer/polynomials.ts';
import { solveLeastSquares } from './least-squares.ts';
import { eachTexel } from './prefilter.ts';

/** The part that a dielectric reflects, seen along the normal. */
const F0 = 0.04;
/** The mean over all directions of the part that Schlick's formula adds. */
const MEAN_FRESNEL = 1 / 21;

/** The polynomials for the levels of the environment map, sharpest first. Rounded: the numbers are part of the script. */
export function fitPolynomials(levels: readonly CubeMipLevel[]) {
  const lastLevel = levels.length - 1;
  const [sharper, roughest] = levels.slice(-2) as [CubeMipLevel, CubeMipLevel];
  const minRoughness = 1 - Math.sqrt(1 / lastLevel);
  const { width } = getDFGLUT().image;
  // With one column of the table before the first roughness.
  const samples = readReflectance().filter(({ roughness }) => roughness > minRoughness - 1 / width);
  return {
    minRoughness,
    lastLevel,
    radiance: fitRadiance(sharper).map(round),
    irradiance: fitRadiance(roughest).map(round),
    reflectance: fitReflectance(samples).map(round),
    multipleReflectance: round(
      samples.reduce((sum, { several }) => sum + several, 0) / samples.length,
    ),
  };
}

const round = (value: number) => Number(value.toFixed(4));

/** Returns the coefficients for the radiance of a level of the environment map. */
function fitRadiance({ size, texels }: CubeMipLevel): number[] {
  const equations = [...eachTexel(size)].map(({ direction, solidAngle }, index) => ({
    ...{ terms: radianceTerms(direction), value: texels[index] as number, weight: solidAngle },
  }));
  return solveLeastSquares(equations);
}

function fitReflectance(samples: readonly Reflectance[]): number[] {
  const equations = samples.map(({ cosine, roughness, once }) => ({
    ...{ terms: reflectanceTerms(cosine, roughness), value: once, weight: 1 },
  }));
  return solveLeastSquares(equations);
}

type Table = { width: number; height: number; data: Uint16Array };

/** What a surface reflects, seen at an angle from its normal with that cosine. */
type Reflectance = {
  roughness: number;
  cosine: number;
  /** The part of the prefiltered radiance. */
  once: number;
  /** The part of the irradiance that it reflects after several reflections between its microfacets. */
  several: number;
};

/** Returns the reflectance of a dielectric for each texel of the table of three.js, as its shader calculates it. */
export function readReflectance(): Reflectance[] {
  const { width, height, data } = getDFGLUT().image as Table;
  return Array.from({ length: width * height }, (_, index) => {
    const roughness = ((index % width) + 0.5) / width;
    const cosine = (Math.floor(index / width) + 0.5) / height;
    const scale = DataUtils.fromHalfFloat(data[2 * index] as number);
    const bias = DataUtils.fromHalfFloat(data[2 * index + 1] as number);
    const once = F0 * scale + bias;
    const lost = 1 - scale - bias;
    const mean = F0 + (1 - F0) * MEAN_FRESNEL;
    return { roughness, cosine, once, several: (once * mean * lost) / (1 - mean * lost) };
  });
}
