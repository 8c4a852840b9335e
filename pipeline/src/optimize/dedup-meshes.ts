import type { Document, Mesh, Primitive, PrimitiveTarget, Property } from '@gltf-transform/core';
import type { MappingList } from '@gltf-transform/extensions';

type GetPropertyId = (property: Property | null) => number;

/**
 * Merges meshes that are equal except for their names.
 *
 * glTF-Transform's own `dedup` is not used: it also merges meshes that differ in the materials of a
 * variant or in the default weights of their morph targets.
 */
export function dedupMeshes(document: Document): void {
  const ids = new Map<Property, number>();
  const getId: GetPropertyId = (property) => {
    if (property === null) return -1;
    const id = ids.get(property) ?? ids.size;
    ids.set(property, id);
    return id;
  };
  const uniqueMeshes = new Map<string, Mesh>();
  for (const mesh of document.getRoot().listMeshes()) {
    const key = JSON.stringify([
      mesh.listPrimitives().map((primitive) => toPrimitiveKey(primitive, getId)),
      mesh.getWeights(),
      mesh.getExtras(),
    ]);
    const equalMesh = uniqueMeshes.get(key);
    if (equalMesh === undefined) {
      uniqueMeshes.set(key, mesh);
      continue;
    }
    for (const parent of mesh.listParents()) {
      if (parent.propertyType === 'Node') parent.swap(mesh, equalMesh);
    }
    mesh.dispose();
  }
}

function toPrimitiveKey(primitive: Primitive, getId: GetPropertyId): unknown {
  const toAttributesKey = (source: Primitive | PrimitiveTarget) =>
    source.listSemantics().map((semantic) => [semantic, getId(source.getAttribute(semantic))]);
  const variants = primitive.getExtension<MappingList>('KHR_materials_variants');
  return [
    primitive.getMode(),
    getId(primitive.getIndices()),
    getId(primitive.getMaterial()),
    toAttributesKey(primitive),
    primitive.listTargets().map(toAttributesKey),
    variants
      ?.listMappings()
      .map((mapping) => [getId(mapping.getMaterial()), mapping.listVariants().map(getId)]),
    primitive.getExtras(),
  ];
}
