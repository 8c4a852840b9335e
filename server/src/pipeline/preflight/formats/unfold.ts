import { damaged } from '../damaged.ts';
import { type Limits, limit } from '../limits.ts';
import { quote } from '../quote.ts';

/** A thing that is made of others: of its own, and by reference. */
export type Fold = { triangles: number; parts: string[] };

/** What a thing is once every reference is followed: it and all that it holds. */
type Size = { nodes: number; triangles: number; depth: number };

/**
 * Follows references among things, and bounds what they unfold to: twenty things that each hold the
 * next one twice are a million. References to nothing are passed over: readers do so too.
 *
 * @param things by id
 * @throws {Problem} design.unreadable: a thing holds itself; design.too-complex
 */
export function checkUnfolding(
  things: ReadonlyMap<string, Fold>,
  roots: Iterable<string>,
  limits: Limits,
): void {
  const sizes = new Map<string, Size>();
  let nodes = 0;
  let triangles = 0;
  for (const root of roots) {
    const size = measure(root, things, sizes, limits);
    nodes += size.nodes;
    triangles += size.triangles;
    limit('nodes', nodes, limits);
    limit('triangles', triangles, limits);
  }
}

const NOTHING: Size = { nodes: 0, triangles: 0, depth: 0 };

/** Depth first without recursion: a chain may be as long as the file. */
function measure(
  root: string,
  things: ReadonlyMap<string, Fold>,
  sizes: Map<string, Size>,
  limits: Limits,
): Size {
  const path: { id: string; fold: Fold; next: number; size: Size }[] = [];
  const within = new Set<string>();
  const enter = (id: string) => {
    const fold = things.get(id);
    if (fold === undefined || sizes.has(id)) return;
    if (within.has(id))
      damaged('cycle', `The part ${quote(id)} of the file is among its own parts`);
    within.add(id);
    path.push({ id, fold, next: 0, size: { nodes: 1, triangles: fold.triangles, depth: 1 } });
  };
  enter(root);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const part = top.fold.parts[top.next];
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
    add(top.size, sizes.get(part) ?? NOTHING, limits);
    top.next++;
  }
  return sizes.get(root) ?? NOTHING;
}

function add(size: Size, part: Size, limits: Limits): void {
  size.nodes += part.nodes;
  size.triangles += part.triangles;
  size.depth = Math.max(size.depth, part.depth + 1);
  limit('nodes', size.nodes, limits);
  limit('triangles', size.triangles, limits);
  limit('nodeDepth', size.depth, limits);
}
