import type { Document, vec3 } from '@gltf-transform/core';
import { join } from '@gltf-transform/functions';
import { drawsOnlyTriangleLists } from './primitive-modes.ts';

const INVISIBLE_SCALE = 1e-6;
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
  replaceZeroScales(document);
  await document.transform(join({ keepNamed, cleanup: false, filter: drawsOnlyTriangleLists }));
  unsharePrimitives(document);
}

/** A scale of 0, which hides a node until an animation shows it, has no inverse, with which meshes are joined. */
export function replaceZeroScales(document: Document): void {
  for (const node of document.getRoot().listNodes()) {
    const scale = node.getScale();
    if (scale.includes(0)) node.setScale(scale.map((axis) => axis || INVISIBLE_SCALE) as vec3);
  }
}

/** glTF-Transform copies a mesh of several nodes, but not those of its primitives that it does not join. */
function unsharePrimitives(document: Document): void {
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      const meshes = primitive.listParents().filter(({ propertyType }) => propertyType === 'Mesh');
      if (meshes.length > 1) mesh.removePrimitive(primitive).addPrimitive(primitive.clone());
    }
  }
}
