import { type Document, PropertyType } from '@gltf-transform/core';
import { dedup } from '@gltf-transform/functions';
import { limitTriangles } from '../limit-triangles.ts';
import { countSceneTriangles, findDefaultScene } from '../model-counts.ts';
import { reorderMeshes } from '../order/reorder-meshes.ts';

/** Triangles of the geometry that visitors load first: as many as a phone draws without effort. */
export const FIRST_LEVEL_TRIANGLES = 150_000;

/** A model with a few triangles more is its own first level: a second file would save visitors little. */
const MAX_TRIANGLES_OF_ONE_LEVEL = 1.25 * FIRST_LEVEL_TRIANGLES;

/** A first level above the limit, because its parts cannot be simplified more, must save this share. */
const MIN_SAVING = 0.5;

/** Whether a model, with its instances, has so many triangles that a first level saves visitors time. */
export function hasManyTriangles(document: Document): boolean {
  return countSceneTriangles(findDefaultScene(document)) > MAX_TRIANGLES_OF_ONE_LEVEL;
}

/**
 * Simplifies a quantized model to the geometry that visitors load first. Nodes, meshes and primitives stay the same, and
 * so do the positions of the remaining vertices: the viewer replaces only the geometries with the larger ones.
 *
 * @returns false, without a change, if the model is small; false if it cannot be simplified
 */
export async function simplifyToFirstLevel(document: Document): Promise<boolean> {
  if (!hasManyTriangles(document)) return false;
  const before = countSceneTriangles(findDefaultScene(document));
  await limitTriangles(document, FIRST_LEVEL_TRIANGLES);
  const after = countSceneTriangles(findDefaultScene(document));
  if (after > FIRST_LEVEL_TRIANGLES && after > (1 - MIN_SAVING) * before) return false;
  await reorderMeshes(document);
  // Meshes that differ only in their material share accessors again: each was simplified separately.
  await document.transform(dedup({ propertyTypes: [PropertyType.ACCESSOR] }));
  return true;
}
