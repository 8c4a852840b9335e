import { type Document, PropertyType } from '@gltf-transform/core';
import { dedup } from '@gltf-transform/functions';
import { limitTriangles } from '../limit-triangles.ts';
import { countSceneTriangles, findDefaultScene } from '../model-counts.ts';
import { reorderMeshes } from '../order/reorder-meshes.ts';

/** A geometry with fewer triangles than the model. */
export type GeometryLevel = {
  maxTriangles: number;
  /** Models up to this number of triangles do not have the level: a file more would save their visitors little. */
  maxModelTriangles: number;
};

/**
 * `first` is what the visitors of most embeds load first: as many triangles as a phone draws without effort; the viewer knows its
 * `maxModelTriangles`, too (select-geometry.ts). `small` is for iframes of half the width: as many triangles as they show, with four pixels for each.
 */
export const GEOMETRY_LEVELS = {
  first: { maxTriangles: 150_000, maxModelTriangles: 187_500 },
  small: { maxTriangles: 37_500, maxModelTriangles: 75_000 },
} as const satisfies Record<string, GeometryLevel>;

/** A level above its limit, because the parts cannot be simplified more, must save this share. */
const MIN_SAVING = 0.5;

/** Whether a model, with its instances, has so many triangles that a level saves visitors time. */
export function hasManyTriangles(document: Document): boolean {
  const triangles = countSceneTriangles(findDefaultScene(document));
  return triangles > GEOMETRY_LEVELS.small.maxModelTriangles;
}

/**
 * Simplifies a quantized model, or a larger level of it, to a level. Nodes, meshes and primitives stay the same, and
 * so do the positions of the remaining vertices: the viewer replaces only the geometries with the larger ones.
 *
 * @returns false, without a change, if the model is small; false if it cannot be simplified so far: then it has fewer triangles, but too many
 */
export async function simplifyToLevel(
  document: Document,
  { maxTriangles, maxModelTriangles }: GeometryLevel,
): Promise<boolean> {
  const before = countSceneTriangles(findDefaultScene(document));
  if (before <= maxModelTriangles) return false;
  await limitTriangles(document, maxTriangles);
  const after = countSceneTriangles(findDefaultScene(document));
  if (after > maxTriangles && after > (1 - MIN_SAVING) * before) return false;
  await reorderMeshes(document);
  // Meshes that differ only in their material share accessors again: each was simplified separately.
  await document.transform(dedup({ propertyTypes: [PropertyType.ACCESSOR] }));
  return true;
}
