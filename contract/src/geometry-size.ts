/**
 * Estimates the longest side of a model on the screen, in device pixels, up to which a geometry looks like the whole model, if it differs from
 * that in details only. Of the square around a model, about half of the pixels show it, and half of its triangles face the camera. With four
 * pixels for each, their edges are two or three pixels long.
 */
export function estimateMaxSize(triangles: number): number {
  return Math.floor(2 * Math.sqrt(triangles));
}
