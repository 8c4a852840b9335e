import type { Document } from './document.ts';
import { type Limits, limit } from './limits.ts';
import type { Forest } from './nodes.ts';

/**
 * Which nodes the default scene shows: 1 for those it does.
 *
 * The viewer builds every scene, and copies what several share, so all of them count as nodes.
 */
export function readScenes(document: Document, forest: Forest, limits: Limits): Uint8Array {
  const { nodes, parents } = forest;
  const sizes = subtreeSizes(forest);
  let total = 0;
  const roots = document.scenes.map((scene) => {
    const list = scene.find('nodes')?.items() ?? [];
    const seen = new Set<number>();
    for (const item of list) {
      item.pick(nodes, 'nodes');
      const index = item.integer();
      if (parents[index] !== -1) item.fail('scene', `is ${index}, a node that is not a root`);
      if (seen.has(index)) item.fail('scene', `is ${index}, a node the scene has already`);
      seen.add(index);
      total += sizes[index] ?? 0;
      limit('nodes', total, limits, item);
    }
    return seen;
  });

  const shown = document.root.find('scene')?.pick(roots, 'scenes') ?? roots[0];
  return spread(forest, (root) => shown === undefined || shown.has(root));
}

function subtreeSizes({ parents, order }: Forest): Int32Array {
  const sizes = new Int32Array(order.length).fill(1);
  for (const index of order.toReversed()) {
    const parent = parents[index] ?? -1;
    if (parent !== -1) sizes[parent] = (sizes[parent] ?? 0) + (sizes[index] ?? 0);
  }
  return sizes;
}

function spread({ parents, order }: Forest, isShown: (root: number) => boolean): Uint8Array {
  const shown = new Uint8Array(order.length);
  for (const index of order) {
    const parent = parents[index] ?? -1;
    shown[index] = parent === -1 ? Number(isShown(index)) : (shown[parent] ?? 0);
  }
  return shown;
}
