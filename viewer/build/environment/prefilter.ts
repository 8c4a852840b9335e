/**
 * Prefilters the environment for every roughness, on the CPU, when the viewer is built.
 *
 * The result is a cube map in the form that three.js expects: mip level `l` of `0 … last` is for roughness
 * `1 - sqrt(1 - l / last)`, and the last level is also used for diffuse light. Sharp levels are sampled
 * from the GGX lobe. For rough levels, all texels of a source cube map are integrated, because the noise
 * of sampling would make the encoded text larger.
 */
import { type CubeMipLevel, MIN_SIZE } from '../../src/renderer/environment-codec.ts';
import { computeRadiance, type Direction } from './studio.ts';

/** Edge length of the sharpest level. The last level has MIN_SIZE. */
const BASE_SIZE = 128;
/** Edge length of the source cube map. */
const SOURCE_SIZE = 48;
/** Samples per texel. */
const SAMPLES = 1024;
/** Above this roughness, all texels of the source are integrated. */
const MAX_SAMPLED_ROUGHNESS = 0.4;

/** Computes all levels, scaled to a mean radiance of 1. */
export function prefilterEnvironment(): CubeMipLevel[] {
  const source = renderCubeMap(SOURCE_SIZE, computeRadiance);
  const scale = 1 / meanRadiance(source);
  const last = Math.log2(BASE_SIZE / MIN_SIZE);
  const levels: CubeMipLevel[] = [];
  for (let level = 0; level <= last; level++) {
    const roughness = 1 - Math.sqrt(1 - level / last);
    const filter = createRoughnessFilter(roughness, source);
    levels.push(renderCubeMap(BASE_SIZE >> level, (direction) => scale * filter(direction)));
  }
  return levels;
}

type RadianceFunction = (direction: Direction) => number;

function createRoughnessFilter(roughness: number, source: CubeMipLevel): RadianceFunction {
  if (roughness === 0) return computeRadiance;
  const alpha = roughness ** 2;
  return roughness <= MAX_SAMPLED_ROUGHNESS
    ? createLobeSampler(alpha)
    : createSourceIntegrator(alpha, source);
}

/** Samples the GGX lobe of width `alpha` around a direction. The view is along that direction. */
function createLobeSampler(alpha: number): RadianceFunction {
  const lobe = Array.from({ length: SAMPLES }, (_, index) => {
    const u = (index + 0.5) / SAMPLES;
    const cosHalf = Math.sqrt((1 - u) / (1 + (alpha ** 2 - 1) * u));
    const cos = 2 * cosHalf ** 2 - 1;
    const angle = index * Math.PI * (3 - Math.sqrt(5));
    const sin = Math.sqrt(Math.max(0, 1 - cos ** 2));
    return { cos, x: Math.cos(angle) * sin, y: Math.sin(angle) * sin };
  }).filter(({ cos }) => cos > 0);

  return (normal) => {
    const [tangent, bitangent] = toTangentBasis(normal);
    let sum = 0;
    let weight = 0;
    for (const { cos, x, y } of lobe) {
      sum += cos * computeRadiance(weightedSum(normal, cos, tangent, x, bitangent, y));
      weight += cos;
    }
    return sum / weight;
  };
}

/** Integrates all texels of the source, weighted by the GGX lobe. */
function createSourceIntegrator(alpha: number, { size, texels }: CubeMipLevel): RadianceFunction {
  const sourceTexels = [...eachTexel(size)].map(({ direction, solidAngle }, index) => ({
    direction,
    solidAngle,
    value: texels[index] ?? 0,
  }));
  return (normal) => {
    let sum = 0;
    let total = 0;
    for (const { direction, solidAngle, value } of sourceTexels) {
      const cos = normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2];
      if (cos <= 0) continue;
      // GGX with view along the normal: the half vector's squared cosine is (1 + cos) / 2.
      const spread = 1 + ((1 + cos) / 2) * (alpha ** 2 - 1);
      const weight = (cos * solidAngle) / spread ** 2;
      sum += weight * value;
      total += weight;
    }
    return sum / total;
  };
}

function renderCubeMap(size: number, radiance: RadianceFunction): CubeMipLevel {
  return {
    size,
    texels: Float32Array.from(eachTexel(size), ({ direction }) => radiance(direction)),
  };
}

/** Returns the mean radiance over all directions. */
function meanRadiance({ size, texels }: CubeMipLevel): number {
  let sum = 0;
  let index = 0;
  for (const { solidAngle } of eachTexel(size)) sum += (texels[index++] ?? 0) * solidAngle;
  return sum / (4 * Math.PI);
}

/**
 * Yields the direction and solid angle of each texel. X is mirrored, because three.js mirrors it again
 * when it reads a cube map that it has not rendered itself.
 */
export function* eachTexel(size: number): Generator<{ direction: Direction; solidAngle: number }> {
  for (let face = 0; face < 6; face++) {
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        const s = (2 * (column + 0.5)) / size - 1;
        const t = (2 * (row + 0.5)) / size - 1;
        const [x, y, z] = FACES[face]?.(s, t) ?? [0, 0, 0];
        const length = Math.hypot(x, y, z);
        yield {
          direction: [-x / length, y / length, z / length],
          solidAngle: 4 / (size ** 2 * length ** 3),
        };
      }
    }
  }
}

const FACES: readonly ((s: number, t: number) => Direction)[] = [
  (s, t) => [1, -t, -s],
  (s, t) => [-1, -t, s],
  (s, t) => [s, 1, t],
  (s, t) => [s, -1, -t],
  (s, t) => [s, -t, 1],
  (s, t) => [-s, -t, -1],
];

function toTangentBasis([x, y, z]: Direction): [Direction, Direction] {
  const horizontal = Math.hypot(x, z);
  const tangent: Direction = horizontal > 1e-6 ? [z / horizontal, 0, -x / horizontal] : [1, 0, 0];
  const [tangentX, , tangentZ] = tangent;
  return [tangent, [y * tangentZ, z * tangentX - x * tangentZ, -y * tangentX]];
}

function weightedSum(
  a: Direction,
  weightA: number,
  b: Direction,
  weightB: number,
  c: Direction,
  weightC: number,
): Direction {
  return [
    a[0] * weightA + b[0] * weightB + c[0] * weightC,
    a[1] * weightA + b[1] * weightB + c[1] * weightC,
    a[2] * weightA + b[2] * weightB + c[2] * weightC,
  ];
}
