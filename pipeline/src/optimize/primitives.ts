import type { Material, Node, Primitive } from '@gltf-transform/core';
import type { MappingList } from '@gltf-transform/extensions';

/** Lists the materials of a primitive: its own and those of the variants. */
export function listPrimitiveMaterials(primitive: Primitive): Material[] {
  const mappings = primitive.getExtension<MappingList>('KHR_materials_variants')?.listMappings();
  const variantMaterials = (mappings ?? []).map((mapping) => mapping.getMaterial());
  return [...new Set([primitive.getMaterial(), ...variantMaterials])].filter(
    (material) => material !== null,
  );
}

/** Whether a primitive is a list of triangles, neither a strip nor lines nor points. */
export function isTriangleList(primitive: Primitive): boolean {
  return primitive.getMode() === 4;
}

/** Whether a node has a mesh, and all of its primitives are lists of triangles. */
export function drawsOnlyTriangleLists(node: Node): boolean {
  return node.getMesh()?.listPrimitives().every(isTriangleList) ?? false;
}
