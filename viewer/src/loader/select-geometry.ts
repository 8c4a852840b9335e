import type { ModelLevels, ViewerConfig } from '@cloche/contract/viewer-config';
import { getPixelRatio } from '../pixel-ratio.ts';
import type { ModelScale } from './select-texture-pack.ts';

/** A geometry of a model. */
export type Geometry = ModelLevels['geometries'][number];

/**
 * Of the square around a model, about half of the pixels show it, and half of its triangles face the camera. So a triangle
 * that is visible covers as many pixels, and its edges are two or three pixels long.
 */
const PIXELS_PER_TRIANGLE = 4;

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

/** Returns the smallest geometry with as many triangles as the screen can show, or the largest for the device. */
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
  // Reading the size computes the layout.
  const getSide = () => getPixelRatio() * Math.min(frame.clientWidth, frame.clientHeight);
  const isTooSmall = ([first, next]: Geometry[] = []) =>
    first && next && next.triangles <= MAX_FIRST_TRIANGLES && isCoarse(first, getSide());
  while (isTooSmall(levels?.geometries)) levels?.geometries.shift();
}

/** @param side of the square around the model, in device pixels */
function isCoarse({ triangles }: Geometry, side: number): boolean {
  return triangles * PIXELS_PER_TRIANGLE < side ** 2;
}
