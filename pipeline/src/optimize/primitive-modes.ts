import { type Material, type Node, Primitive } from '@gltf-transform/core';
import type { MappingList } from '@gltf-transform/extensions';

/** Lists the materials of a primitive: its own and those of the variants. */
export function listPrimitiveMaterials(primitive: Primitive): Material[] {
  const mappings = primitive.getExtension<MappingList>('KHR_materials_variants')?.listMappings();
  const variantMaterials = (mappings ?? []).map((mapping) => mapping.getMaterial());
  return [...new Set([primitive.getMaterial(), ...variantMaterials])].filter(
    (material) => material !== null,
  );
}

/** Whether a primitive is a list of triangles: no strip, fan, lines or points. */
export function isTriangleList(primitive: Primitive): boolean {
  return primitive.getMode() === Primitive.Mode.TRIANGLES;
}

/** Whether a primitive is a triangle strip or a triangle fan. */
export function isTriangleStripOrFan(primitive: Primitive): boolean {
  const { TRIANGLE_STRIP, TRIANGLE_FAN } = Primitive.Mode;
  return [TRIANGLE_STRIP, TRIANGLE_FAN].some((mode) => mode === primitive.getMode());
}

/** Whether a node has a mesh, and all of its primitives are lists of triangles. */
export function drawsOnlyTriangleLists(node: Node): boolean {
  return node.getMesh()?.listPrimitives().every(isTriangleList) ?? false;
}
