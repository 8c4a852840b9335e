import type { Accessor, Document, Node, vec3 } from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import { findDistantCenter } from './distant-center.ts';
import { transformNode } from './quantize/dequantization-transform.ts';

/**
 * Moves the transform to instances that are far from the origin of their node into the node, which
 * has more digits than the compressed instances. Nodes on which anything else depends do not change.
 */
export function centerInstances(document: Document): void {
  for (const node of document.getRoot().listNodes()) {
    const instancedMesh = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
    const source = instancedMesh?.getAttribute('TRANSLATION');
    if (!instancedMesh || !source || !drawsOnlyInstances(node)) continue;
    const translations = readVectors(source);
    const center = findDistantCenter(translations);
    if (center === undefined) continue;
    const centered = translations.flatMap(([x, y, z]) => [
      x - center[0],
      y - center[1],
      z - center[2],
    ]);
    const accessor = document
      .createAccessor()
      .setType('VEC3')
      .setArray(new Float32Array(centered))
      .setBuffer(source.getBuffer());
    instancedMesh.setAttribute('TRANSLATION', accessor);
    transformNode(node, { offset: center, step: 1 });
  }
}

function drawsOnlyInstances(node: Node): boolean {
  const hierarchyTypes: readonly string[] = ['Root', 'Scene', 'Node'];
  return (
    node.listParents().every(({ propertyType }) => hierarchyTypes.includes(propertyType)) &&
    node.listChildren().length === 0 &&
    node.listExtensions().length === 1 &&
    node.getCamera() === null
  );
}

function readVectors(accessor: Accessor): vec3[] {
  return Array.from({ length: accessor.getCount() }, (_, index) =>
    accessor.getElement<vec3>(index, [0, 0, 0]),
  );
}
