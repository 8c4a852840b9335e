import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import type { Document, Node } from '@gltf-transform/core';
import type { Visibility } from '@gltf-transform/extensions';
import { convertSpecularGlossiness } from './specular-glossiness.ts';

const NODE_VISIBILITY = 'KHR_node_visibility';

/** Converts extensions that the viewer does not render to features that it renders. */
export async function convertUnsupportedExtensions(
  document: Document,
): Promise<ProcessingWarning[]> {
  removeHiddenNodes(document);
  return convertSpecularGlossiness(document);
}

/** Empties hidden nodes. The nodes themselves stay, because skins and animations may need them. */
function removeHiddenNodes(document: Document): void {
  const nodes = document.getRoot().listNodes();
  const hidden = nodes.filter(
    (node) => node.getExtension<Visibility>(NODE_VISIBILITY)?.getVisible() === false,
  );
  const hadMeshes = nodes.some((node) => node.getMesh());
  for (const node of hidden) node.traverse(clearNode);
  if (hadMeshes && !nodes.some((node) => node.getMesh())) {
    throw new Problem('design.unreadable', {
      detail: 'All nodes of the glTF are hidden; make at least one with a mesh visible.',
    });
  }
  document.disposeExtension(NODE_VISIBILITY);
}

function clearNode(node: Node): void {
  node
    .setMesh(null)
    .setSkin(null)
    .setExtension('KHR_lights_punctual', null)
    .setExtension('EXT_mesh_gpu_instancing', null);
}
