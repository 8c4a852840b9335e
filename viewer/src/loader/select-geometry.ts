import type { ModelLevels } from '@cloche/contract/viewer-config';
import type { ModelScale } from './select-texture-pack.ts';

/** A geometry of a model. */
export type Geometry = ModelLevels['geometries'][number];

/**
 * Of the square around a model, about half of the pixels show it, and half of its triangles face the camera. So a triangle
 * that is visible covers as many pixels, and its edges are two or three pixels long.
 */
const PIXELS_PER_TRIANGLE = 4;

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
  const usefulTriangles = (longestSide / metersPerPixel) ** 2 / PIXELS_PER_TRIANGLE;
  const drawable = geometries.filter(({ triangles }) => triangles <= maxTriangles);
  const sharp = drawable.find(({ triangles }) => triangles >= usefulTriangles);
  return sharp ?? drawable.at(-1) ?? geometries[0];
}
