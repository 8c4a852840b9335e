import { type Accessor, type Document, Primitive } from '@gltf-transform/core';

const MAX_CLONED_BYTES = 256 * 1024 ** 2;

/**
 * Gives each primitive, except points, vertices and indices of its own, as welding does in any case. glTF-Transform lists all users of
 * an accessor for each primitive, which takes quadratic time if they share it.
 *
 * Does nothing if the copies would be too large: then many primitives draw a part of the same accessor.
 */
export function unshareAccessors(document: Document): void {
  const used = new Set<Accessor>();
  const shared: [Primitive, Accessor][] = [];
  for (const primitive of listPrimitives(document)) {
    for (const accessor of listAccessors(primitive)) {
      if (used.has(accessor)) shared.push([primitive, accessor]);
      used.add(accessor);
    }
  }
  const bytes = shared.reduce((sum, [, accessor]) => sum + accessor.getByteLength(), 0);
  if (bytes > MAX_CLONED_BYTES) return;
  for (const [primitive, accessor] of shared) primitive.swap(accessor, accessor.clone());
}

function listPrimitives(document: Document): Set<Primitive> {
  const meshes = document.getRoot().listMeshes();
  const primitives = meshes.flatMap((mesh) => mesh.listPrimitives());
  return new Set(primitives.filter((primitive) => primitive.getMode() !== Primitive.Mode.POINTS));
}

function listAccessors(primitive: Primitive): Set<Accessor> {
  const indices = primitive.getIndices();
  return new Set([...(indices ? [indices] : []), ...primitive.listAttributes()]);
}
