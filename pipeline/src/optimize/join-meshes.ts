import type { Document } from '@gltf-transform/core';
import { join } from '@gltf-transform/functions';
import { drawsOnlyTriangleLists } from './primitive-modes.ts';

/** Comparing this many takes about two seconds. */
const MAX_COMPARED_MATERIALS = 20_000_000;

/**
 * Joins meshes of one parent that have the same material, with or without those that have names. Joined strips and points
 * would need an extension that the viewer does not support.
 *
 * Does nothing if the model has very many primitives and materials: glTF-Transform searches all materials for each
 * primitive, and there is little to join.
 */
export async function joinMeshes(
  document: Document,
  { keepNamed }: { keepNamed: boolean },
): Promise<void> {
  const root = document.getRoot();
  const primitives = root.listMeshes().flatMap((mesh) => mesh.listPrimitives());
  if (primitives.length * root.listMaterials().length > MAX_COMPARED_MATERIALS) return;
  await document.transform(join({ keepNamed, cleanup: false, filter: drawsOnlyTriangleLists }));
}
