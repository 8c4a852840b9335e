import type { Mesh, Node } from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';

/** Computes the largest scale at which a mesh is shown, over all of its nodes and instances. */
export function computeMaxWorldScale(mesh: Mesh): number {
  const nodes = mesh
    .listParents()
    .filter((parent): parent is Node => parent.propertyType === 'Node');
  return Math.max(1e-12, ...nodes.map(computeNodeMaxScale));
}

/**
 * Computes the largest scale at which a mesh is shown; an upper limit if it has a skin. `meshExtent`
 * is its longest side.
 */
export function computeDisplayScale(mesh: Mesh, sceneExtent: number, meshExtent: number): number {
  const hasSkin = mesh
    .listParents()
    .some((parent) => parent.propertyType === 'Node' && (parent as Node).getSkin() !== null);
  // A skin can scale the mesh by any factor: assume that the mesh is as large as the scene.
  if (hasSkin) return meshExtent > 0 ? sceneExtent / meshExtent : 1;
  return computeMaxWorldScale(mesh);
}

/** Computes the longest side of the bounding box of a mesh. */
export function computeMeshExtent(mesh: Mesh): number {
  let extent = 0;
  for (const primitive of mesh.listPrimitives()) {
    const position = primitive.getAttribute('POSITION');
    const min = position?.getMinNormalized([]) ?? [];
    const max = position?.getMaxNormalized([]) ?? [];
    for (const [axis, value] of max.entries()) extent = Math.max(extent, value - (min[axis] ?? 0));
  }
  return extent;
}

function computeNodeMaxScale(node: Node): number {
  const instancedMesh = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  const scales = instancedMesh?.getAttribute('SCALE');
  const minMax = scales ? [...scales.getMin([]), ...scales.getMax([])] : [1];
  return Math.max(...node.getWorldScale().map(Math.abs)) * Math.max(...minMax.map(Math.abs));
}
