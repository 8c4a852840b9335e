import type { Node } from '@gltf-transform/core';

/** Disposes a node and all of its descendants. */
export function disposeTree(node: Node): void {
  for (const child of node.listChildren()) disposeTree(child);
  node.dispose();
}
