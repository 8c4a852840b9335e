import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit } from './budgets.ts';
import type { ValidationLimits } from './limits.ts';
import { throwUnreadable } from './unreadable.ts';

/** A thing that is made of others: of its own, and by reference. */
export type ReferenceNode = { triangleCount: number; references: string[] };

/** What a thing is once every reference is followed: it and all that it holds. */
type ExpandedSize = { nodeCount: number; triangleCount: number; depth: number };

/**
 * Follows references among things, and bounds what they unfold to: twenty things that each hold the
 * next one twice are a million. References to nothing are passed over: readers do so too.
 *
 * @param things by id
 * @throws {Problem} design.unreadable: a thing holds itself; design.too-complex
 */
export function validateReferences(
  things: ReadonlyMap<string, ReferenceNode>,
  roots: Iterable<string>,
  limits: ValidationLimits,
): void {
  const sizes = new Map<string, ExpandedSize>();
  let nodes = 0;
  let triangles = 0;
  for (const root of roots) {
    const size = measureExpandedSize(root, things, sizes, limits);
    nodes += size.nodeCount;
    triangles += size.triangleCount;
    assertWithinLimit('nodes', nodes, limits);
    assertWithinLimit('triangles', triangles, limits);
  }
}

const EMPTY_SIZE: ExpandedSize = { nodeCount: 0, triangleCount: 0, depth: 0 };

/** Depth first without recursion: a chain may be as long as the file. */
function measureExpandedSize(
  root: string,
  things: ReadonlyMap<string, ReferenceNode>,
  sizes: Map<string, ExpandedSize>,
  limits: ValidationLimits,
): ExpandedSize {
  const path: { id: string; fold: ReferenceNode; next: number; size: ExpandedSize }[] = [];
  const within = new Set<string>();
  const enter = (id: string) => {
    const fold = things.get(id);
    if (fold === undefined || sizes.has(id)) return;
    if (within.has(id))
      throwUnreadable('cycle', `The part ${quoteUntrusted(id)} of the file is among its own parts`);
    within.add(id);
    path.push({
      id,
      fold,
      next: 0,
      size: { nodeCount: 1, triangleCount: fold.triangleCount, depth: 1 },
    });
  };
  enter(root);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const part = top.fold.references[top.next];
    if (part !== undefined && things.has(part) && !sizes.has(part)) {
      enter(part);
      continue;
    }
    if (part === undefined) {
      sizes.set(top.id, top.size);
      within.delete(top.id);
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
