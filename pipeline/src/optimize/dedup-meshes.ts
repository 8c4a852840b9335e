import type { Document, Mesh, Primitive, Property } from '@gltf-transform/core';
import type { MappingList } from '@gltf-transform/extensions';

/**
 * Makes nodes share a mesh that is the same in all but its name.
 *
 * Not glTF-Transform's own, which takes meshes for equal that wear other materials in a variant, or
 * start with other weights of their morph targets.
 */
export function dedupMeshes(document: Document): void {
  const ids = new Map<Property, number>();
  const id = (property: Property | null): number => {
    if (property === null) return -1;
    const known = ids.get(property) ?? ids.size;
    ids.set(property, known);
    return known;
  };
  const kept = new Map<string, Mesh>();
  for (const mesh of document.getRoot().listMeshes()) {
    const key = JSON.stringify([
      mesh.listPrimitives().map((primitive) => toPrimitiveKey(primitive, id)),
      mesh.getWeights(),
      mesh.getExtras(),
    ]);
    const same = kept.get(key);
    if (same === undefined) {
      kept.set(key, mesh);
      continue;
    }
    for (const parent of mesh.listParents()) {
      if (parent.propertyType === 'Node') parent.swap(mesh, same);
    }
    mesh.dispose();
  }
}

function toPrimitiveKey(primitive: Primitive, id: (property: Property | null) => number): unknown {
  const attributes = (holder: Pick<Primitive, 'listSemantics' | 'getAttribute'>) =>
    holder.listSemantics().map((semantic) => [semantic, id(holder.getAttribute(semantic))]);
  const variants = primitive.getExtension<MappingList>('KHR_materials_variants');
  return [
    primitive.getMode(),
    id(primitive.getIndices()),
    id(primitive.getMaterial()),
    attributes(primitive),
    primitive.listTargets().map(attributes),
    variants?.listMappings().map((it) => [id(it.getMaterial()), it.listVariants().map(id)]),
    primitive.getExtras(),
  ];
}
