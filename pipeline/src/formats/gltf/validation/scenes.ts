import { assertWithinLimit } from '../../../validation/budgets.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import type { GltfDocument } from './document.ts';
import type { NodeHierarchy } from './node-hierarchy.ts';

/**
 * Reads the scenes. Returns 1 for each node that the default scene contains, and 0 for the others.
 *
 * The viewer builds every scene and copies nodes that several scenes share, so the limit applies to the
 * sum over all scenes.
 */
export function parseScenes(
  document: GltfDocument,
  hierarchy: NodeHierarchy,
  limits: ValidationLimits,
): Uint8Array {
  const { nodes, parents } = hierarchy;
  const sizes = countSubtreeNodes(hierarchy);
  let total = 0;
  const roots = document.scenes.map((scene) => {
    const list = scene.find('nodes')?.items() ?? [];
    const rootIndices = new Set<number>();
    for (const item of list) {
      item.resolveIndex(nodes, 'nodes');
      const index = item.integer();
      if (parents[index] !== -1) item.fail('scene', `is ${index}, a node that is not a root`);
      if (rootIndices.has(index))
        item.fail('scene', `is ${index}, a node that the scene already has`);
      rootIndices.add(index);
      total += sizes[index] ?? 0;
      assertWithinLimit('nodes', total, limits, item);
    }
    return rootIndices;
  });

  const visibleRoots = document.root.find('scene')?.resolveIndex(roots, 'scenes') ?? roots[0];
  return markVisibleNodes(
    hierarchy,
    (root) => visibleRoots === undefined || visibleRoots.has(root),
  );
}

function countSubtreeNodes({ parents, topologicalOrder }: NodeHierarchy): Int32Array {
  const sizes = new Int32Array(topologicalOrder.length).fill(1);
  for (const index of topologicalOrder.toReversed()) {
    const parent = parents[index] ?? -1;
    if (parent !== -1) sizes[parent] = (sizes[parent] ?? 0) + (sizes[index] ?? 0);
  }
  return sizes;
}

function markVisibleNodes(
  { parents, topologicalOrder }: NodeHierarchy,
  isVisibleRoot: (root: number) => boolean,
): Uint8Array {
  const visibleNodes = new Uint8Array(topologicalOrder.length);
  for (const index of topologicalOrder) {
    const parent = parents[index] ?? -1;
    visibleNodes[index] =
      parent === -1 ? Number(isVisibleRoot(index)) : (visibleNodes[parent] ?? 0);
  }
  return visibleNodes;
}
