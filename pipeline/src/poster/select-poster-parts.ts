import { join } from 'node:path';
import type { ModelStats } from '@cloche/contract/model-stats';
import { toGeometryFile, toTexturePackFile } from '../level-files.ts';
import type { WorkerReport } from '../worker-report.ts';

/** The levels of a model, and the directory with their files. */
export type PosterLevels = NonNullable<WorkerReport['levels']> & { directory: string };

/** The files that replace a model in its poster. */
export type PosterParts = {
  /** Path of a geometry; undefined: the model itself. */
  geometry?: string;
  texturePack?: { path: string; size: number };
};

/** The height of the largest poster: no model has a longer side in it, except a wide one seen from the side. */
const MAX_SIDE = 960;
/** The longest side of most models in the largest poster, in pixels. */
const USUAL_SIDE = 800;
/**
 * So many pixels of the poster may show one of a texture, where its coordinates are stretched most. The images of WaterBottle are then half
 * as large: its poster is rendered in 1.6 s instead of 2.2, and differs by 1.3 of 255 on average.
 */
const MAX_STRETCH = 1.4;

/** Selects the smallest parts with which a poster of the default view looks like that of the whole model. */
export function selectPosterParts(
  { directory, geometries, texturePacks, uvPerMeter }: PosterLevels,
  bounds: ModelStats['bounds'],
): PosterParts {
  const size = getSharpSize(bounds, uvPerMeter);
  const pack = texturePacks.find((pack) => MAX_STRETCH * pack.size >= size) ?? texturePacks.at(-1);
  // The last one has the whole geometry, except without texture packs: then the model is not in the list. The size of the others may be unknown.
  const whole = texturePacks.length > 0 ? geometries.length - 1 : undefined;
  const geometry = geometries.findIndex(
    ({ maxSize = 0 }, index) => index === whole || maxSize >= MAX_SIDE,
  );
  return {
    ...(geometry >= 0 && { geometry: join(directory, toGeometryFile(geometry)) }),
    ...(pack && {
      texturePack: { path: join(directory, toTexturePackFile(pack.size)), size: pack.size },
    }),
  };
}

/** The size of a texture pack that has a pixel for each of the poster; see ViewerConfig. If the density is not known: as if a texture covered the model once. */
function getSharpSize(bounds: ModelStats['bounds'], uvPerMeter: number | undefined): number {
  if (bounds === undefined || uvPerMeter === undefined) return USUAL_SIDE;
  const { min, max } = bounds;
  const longestSide = Math.max(...max.map((value, axis) => value - (min[axis] ?? 0)));
  return USUAL_SIDE / (longestSide * uvPerMeter);
}
