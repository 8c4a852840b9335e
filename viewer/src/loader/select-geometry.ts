import type { ModelLevels, ViewerConfig } from '@cloche/contract/viewer-config';
import { getPixelRatio } from '../pixel-ratio.ts';
import type { ModelScale } from './select-texture-pack.ts';

/** A geometry of a model. */
export type Geometry = ModelLevels['geometries'][number];

/**
 * Triangles of the geometry that a model is loaded with: its first level, or the whole model if it has a few triangles more. A
 * larger one is loaded while that is shown.
 */
const MAX_FIRST_TRIANGLES = 187_500;

/** A device with less memory draws fewer triangles fluently. Larger ones report 8 GiB or more: they have no limit. */
const [TRIANGLES_PER_GIB, LARGE_DEVICE_GIB] = [250_000, 8];

/** The triangles that the device can draw. Not all browsers say how much memory it has; then there is no limit. */
export function getMaxTriangles({ deviceMemory }: Navigator & { deviceMemory?: number }): number {
  return deviceMemory === undefined || deviceMemory >= LARGE_DEVICE_GIB
    ? Infinity
    : deviceMemory * TRIANGLES_PER_GIB;
}

/** Returns the smallest geometry that looks like the whole model at this scale, or the largest for the device. */
export function selectGeometry(
  geometries: readonly Geometry[],
  { metersPerPixel, longestSide }: ModelScale,
  maxTriangles: number,
): Geometry | undefined {
  const side = longestSide / metersPerPixel;
  const drawable = geometries.filter(({ triangles }) => triangles <= maxTriangles);
  const sharp = drawable.find((geometry) => !isCoarse(geometry, side));
  return sharp ?? drawable.at(-1) ?? geometries[0];
}

/**
 * Removes the geometries that are too small for the frame, except for the last one that a model is loaded with. Then the first
 * geometry of the list is the one to load. The camera does not exist yet: the model is assumed to fill the shorter side of the frame.
 */
export function removeSmallGeometries(
  { levels }: Pick<ViewerConfig, 'levels'>,
  frame: Pick<Element, 'clientWidth' | 'clientHeight'>,
): void {
  const geometries = levels?.geometries ?? [];
  // Reading the size of the frame computes the layout, so it is read only if there are several.
  while (
    (geometries[1]?.triangles ?? Infinity) <= MAX_FIRST_TRIANGLES &&
    isCoarse(geometries[0], getPixelRatio() * Math.min(frame.clientWidth, frame.clientHeight))
  )
    geometries.shift();
}

/** @param side the longest side of the model, in device pixels */
function isCoarse(geometry: Geometry | undefined, side: number): boolean {
  return side > (geometry?.maxSize ?? Infinity);
}
