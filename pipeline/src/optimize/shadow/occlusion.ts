/**
 * Computes the ambient occlusion of the ground: the share of the sky that the model hides from each point.
 *
 * A small horizontal surface at the height h hides the share h² / π(r² + h²)² of the light from a point at
 * the horizontal distance r. So the shadow of all surfaces at one height is their picture from above, blurred
 * with a radius proportional to h: sharp at points of contact, and soft below high parts. The shadow of
 * solid parts is that of their highest surface, if nothing is below them: it extends beyond their base.
 */
import { blur, type Grid } from './blur.ts';
import type { HeightMap } from './height-map.ts';

/**
 * The heights for which shadows are computed, relative to the footprint; each is twice the one before. A surface
 * between two of them is divided between them. Higher surfaces cast no shadow.
 */
const LEVEL_HEIGHTS = [0, 1, 2, 3, 4, 5, 6, 7].map((level) => 0.006 * 2 ** level);
const TOP_LEVEL = LEVEL_HEIGHTS.length - 1;
/**
 * Standard deviation of the blur, relative to the height. A Gaussian that is as wide as the function above
 * has 0.9; less makes the shadow of high parts more visible.
 */
const SPREAD = 0.55;
/** The least standard deviation in texels: sharper edges show the texels. */
const MIN_SIGMA = 0.8;
/** The shadow at the top level has this share of its strength, so that it does not end abruptly. */
const TOP_STRENGTH = 0.2;
/** Makes light shadows darker, as several levels are. */
const CONTRAST = 1.4;
/** What is lighter than this is no shadow: it would end visibly at the edge of the frame. */
const MIN_OCCLUSION = 0.03;

export type OcclusionOptions = {
  /** Samples of the height map along each side of a texel. Width and depth of the map are multiples. */
  samplesPerTexel: number;
  /** The size of the footprint in texels. */
  footprint: number;
};

/** The heights in the map are relative to the footprint. Returns one value from 0 to 1 per texel. */
export function computeOcclusion(map: HeightMap, options: OcclusionOptions): Grid {
  const levels = divideIntoLevels(map, options.samplesPerTexel);
  const [width, height] = [
    map.width / options.samplesPerTexel,
    map.depth / options.samplesPerTexel,
  ];
  const surfaces = new Float64Array(width * height);
  const solids = new Float64Array(width * height);
  for (const [level, { surface, solid }] of levels.entries()) {
    const relativeHeight = LEVEL_HEIGHTS[level] as number;
    const sigma = Math.max(SPREAD * relativeHeight * options.footprint, MIN_SIGMA);
    const strength =
      1 - (1 - TOP_STRENGTH) * (relativeHeight / (LEVEL_HEIGHTS[TOP_LEVEL] as number));
    blur({ width, height, values: surface }, sigma);
    blur({ width, height, values: solid }, sigma);
    for (let index = 0; index < surfaces.length; index++) {
      surfaces[index] = (surfaces[index] as number) + strength * (surface[index] as number);
      solids[index] = Math.max(solids[index] as number, strength * (solid[index] as number));
    }
  }
  const values = surfaces.map((value, index) => {
    const occlusion = Math.min(1, Math.max(value, solids[index] as number));
    const visible = Math.max(0, occlusion - MIN_OCCLUSION) / (1 - MIN_OCCLUSION);
    return 1 - (1 - visible) ** CONTRAST;
  });
  return { width, height, values };
}

/** The shares of each texel that are covered by surfaces at a level, and by solid parts that reach it. */
type Level = { surface: Float64Array; solid: Float64Array };

/** Assigns the lowest surface above each sample to levels, and the solid part between lowest and highest. */
function divideIntoLevels(map: HeightMap, samplesPerTexel: number): Level[] {
  const width = map.width / samplesPerTexel;
  const size = width * (map.depth / samplesPerTexel);
  const levels = LEVEL_HEIGHTS.map(() => ({
    surface: new Float64Array(size),
    solid: new Float64Array(size),
  }));
  const share = 1 / samplesPerTexel ** 2;
  for (let sample = 0; sample < map.lowest.length; sample++) {
    if (map.lowest[sample] === Infinity) continue;
    const lowest = toLevel(map.lowest[sample] as number);
    const highest = toLevel(map.highest[sample] as number);
    const x = Math.floor((sample % map.width) / samplesPerTexel);
    const z = Math.floor(sample / (map.width * samplesPerTexel));
    const texel = z * width + x;
    const below = Math.floor(lowest);
    addTo(levels[below]?.surface, texel, share * (below + 1 - lowest));
    addTo(levels[below + 1]?.surface, texel, share * (lowest - below));
    // A level below, so that a thin surface, which the above takes into account, is not solid.
    for (let level = Math.ceil(lowest) + 1; level <= Math.min(highest, TOP_LEVEL); level++) {
      addTo(levels[level]?.solid, texel, share);
    }
  }
  return levels;
}

/** Returns the index of the level at a height, with its fraction. */
function toLevel(height: number): number {
  return Math.max(0, Math.log2(height / (LEVEL_HEIGHTS[0] as number)));
}

function addTo(values: Float64Array | undefined, index: number, amount: number): void {
  if (values) values[index] = (values[index] as number) + amount;
}
