import type { Mesh, Node } from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';

/** Computes the largest scale at which a mesh is shown, over all of its nodes and instances. */
export function computeMaxWorldScale(mesh: Mesh): number {
  const nodes = mesh
    .listParents()
    .filter((parent): parent is Node => parent.propertyType === 'Node');
  return Math.max(1e-12, ...nodes.map(computeNodeMaxScale));
}

function computeNodeMaxScale(node: Node): number {
  const instancedMesh = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  const scales = instancedMesh?.getAttribute('SCALE');
  const minMax = scales ? [...scales.getMin([]), ...scales.getMax([])] : [1];
  return Math.max(...node.getWorldScale().map(Math.abs)) * Math.max(...minMax.map(Math.abs));
}
