import { assertWithinLimit } from '../../../validation/budgets.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import type { GltfDocument } from './document.ts';
import type { NodeHierarchy } from './node-hierarchy.ts';

/**
 * Which nodes the default scene shows: 1 for those it does.
 *
 * The viewer builds every scene, and copies what several share, so all of them count as nodes.
 */
export function parseScenes(
  document: GltfDocument,
  forest: NodeHierarchy,
  limits: ValidationLimits,
): Uint8Array {
  const { nodes, parents } = forest;
  const sizes = countSubtreeNodes(forest);
  let total = 0;
  const roots = document.scenes.map((scene) => {
    const list = scene.find('nodes')?.items() ?? [];
    const seen = new Set<number>();
    for (const item of list) {
      item.resolveIndex(nodes, 'nodes');
      const index = item.integer();
      if (parents[index] !== -1) item.fail('scene', `is ${index}, a node that is not a root`);
      if (seen.has(index)) item.fail('scene', `is ${index}, a node the scene has already`);
      seen.add(index);
      total += sizes[index] ?? 0;
      assertWithinLimit('nodes', total, limits, item);
    }
    return seen;
  });

  const shown = document.root.find('scene')?.resolveIndex(roots, 'scenes') ?? roots[0];
  return markVisibleNodes(forest, (root) => shown === undefined || shown.has(root));
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
  isShown: (root: number) => boolean,
): Uint8Array {
  const shown = new Uint8Array(topologicalOrder.length);
  for (const index of topologicalOrder) {
    const parent = parents[index] ?? -1;
    shown[index] = parent === -1 ? Number(isShown(index)) : (shown[parent] ?? 0);
  }
  return shown;
}
