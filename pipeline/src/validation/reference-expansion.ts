import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit } from './budgets.ts';
import type { ValidationLimits } from './limits.ts';
import { throwUnreadable } from './unreadable.ts';

/** A part of a model: the number of its own triangles, and the ids of the parts that it contains. */
export type ReferenceNode = {
  /** 0 for a part that becomes no node. Default: 1. */
  nodeCount?: number;
  /** Or the number of faces, in a format of curved faces. */
  triangleCount: number;
  references: string[];
};

/** The size of a part with all references expanded, including the part itself. */
export type ExpandedSize = { nodeCount: number; triangleCount: number; depth: number };

/**
 * Checks that references have no cycles, and limits what they expand to: twenty parts that each
 * contain the next one twice expand to a million. References to missing parts are ignored, as import
 * libraries ignore them. Returns what the roots expand to, and the triangles of the largest root.
 *
 * @param parts by id
 * @throws {Problem} design.unreadable: a part contains itself; design.too-complex
 */
export function validateReferences(
  parts: ReadonlyMap<string, ReferenceNode>,
  roots: Iterable<string>,
  limits: ValidationLimits,
): ExpandedSize & { largest: number } {
  const sizes = new Map<string, ExpandedSize>();
  const total = { ...EMPTY_SIZE, largest: 0 };
  for (const root of roots) {
    const size = measureExpandedSize(root, parts, sizes, limits);
    total.nodeCount += size.nodeCount;
    total.triangleCount += size.triangleCount;
    total.depth = Math.max(total.depth, size.depth);
    total.largest = Math.max(total.largest, size.triangleCount);
    assertWithinLimit('nodes', total.nodeCount, limits);
    assertWithinLimit('triangles', total.triangleCount, limits);
  }
  return total;
}

const EMPTY_SIZE: ExpandedSize = { nodeCount: 0, triangleCount: 0, depth: 0 };

/** Visits the parts depth first, without recursion, because a chain may be as long as the file. */
function measureExpandedSize(
  root: string,
  parts: ReadonlyMap<string, ReferenceNode>,
  sizes: Map<string, ExpandedSize>,
  limits: ValidationLimits,
): ExpandedSize {
  const path: { id: string; node: ReferenceNode; next: number; size: ExpandedSize }[] = [];
  const openIds = new Set<string>();
  const enter = (id: string) => {
    const node = parts.get(id);
    if (node === undefined || sizes.has(id)) return;
    if (openIds.has(id))
      throwUnreadable('cycle', `The part ${quoteUntrusted(id)} of the file contains itself`);
    openIds.add(id);
    path.push({
      id,
      node,
      next: 0,
      size: { nodeCount: node.nodeCount ?? 1, triangleCount: node.triangleCount, depth: 1 },
    });
  };
  enter(root);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const part = top.node.references[top.next];
    if (part !== undefined && parts.has(part) && !sizes.has(part)) {
      enter(part);
      continue;
    }
    if (part === undefined) {
      sizes.set(top.id, top.size);
      openIds.delete(top.id);
      path.pop();
      continue;
    }
    addExpandedSize(top.size, sizes.get(part) ?? EMPTY_SIZE, limits);
    top.next++;
  }
  return sizes.get(root) ?? EMPTY_SIZE;
}

function addExpandedSize(size: ExpandedSize, part: ExpandedSize, limits: ValidationLimits): void {
  size.nodeCount += part.nodeCount;
  size.triangleCount += part.triangleCount;
  size.depth = Math.max(size.depth, part.depth + 1);
  assertWithinLimit('nodes', size.nodeCount, limits);
  assertWithinLimit('triangles', size.triangleCount, limits);
  assertWithinLimit('nodeDepth', size.depth, limits);
}
