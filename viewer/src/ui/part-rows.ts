import type { PartNode } from '@cloche/contract/message';

/** A row of the list of parts. */
export type PartRow = {
  part: PartNode;
  /** 1 for the parts at the top. */
  level: number;
  /** The place among the parts of the same parent, from 1 on, and their number. */
  position: number;
  setSize: number;
  /** Undefined for parts without parts. */
  expanded: boolean | undefined;
  parent: PartRow | undefined;
};

/** `mixed`: some of the parts in it are hidden. */
export type Checked = 'true' | 'false' | 'mixed';

type RowOptions = {
  /** The ids of the parts whose parts are shown. */
  expanded: ReadonlySet<number>;
  /** Only parts whose name contains this text, and the parts around them. */
  query?: string;
};

/** How many rows are shown at first, if the top has fewer. */
const INITIAL_ROWS = 12;

/** Lists the rows that are shown, from top to bottom. */
export function listPartRows(
  parts: readonly PartNode[],
  { expanded, query = '' }: RowOptions,
): PartRow[] {
  const matching = query.trim() === '' ? undefined : findMatching(parts, query);
  const rows: PartRow[] = [];
  // A loop instead of recursion: a model may nest its parts deeper than the stack.
  const pending = toRows(parts, undefined).reverse();
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    rows.push(row);
    if (!row.expanded) continue;
    for (const child of toRows(row.part.children, row).reverse()) pending.push(child);
  }
  return rows;

  function toRows(siblings: readonly PartNode[], parent: PartRow | undefined): PartRow[] {
    const shown = matching ? siblings.filter((part) => matching.has(part.id)) : siblings;
    return shown.map((part, index) => ({
      part,
      level: (parent?.level ?? 0) + 1,
      position: index + 1,
      setSize: shown.length,
      expanded: getExpanded(part),
      parent,
    }));
  }

  function getExpanded({ id, children }: PartNode): boolean | undefined {
    if (children.length === 0) return undefined;
    if (matching === undefined) return expanded.has(id);
    return children.some((child) => matching.has(child.id)) ? true : undefined;
  }
}

/** Lists all parts, in the order of the tree. */
export function listParts(parts: readonly PartNode[]): PartNode[] {
  const all: PartNode[] = [];
  const pending = parts.toReversed();
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    all.push(part);
    for (const child of part.children.toReversed()) pending.push(child);
  }
  return all;
}

/** Returns the parts to expand at first: whole levels from the top, while few rows are shown. */
export function selectInitiallyExpanded(parts: readonly PartNode[]): Set<number> {
  const expanded = new Set<number>();
  let count = parts.length;
  for (
    let level = [...parts];
    level.length > 0;
    level = level.flatMap(({ children }) => children)
  ) {
    count += level.reduce((sum, { children }) => sum + children.length, 0);
    if (count > INITIAL_ROWS && level.length > 1) break;
    for (const { id } of level) expanded.add(id);
  }
  return expanded;
}

/** Returns whether a part, with the parts in it, is shown. Parts without geometry of their own follow the parts in them. */
export function getChecked(part: PartNode): Checked {
  const leaves = listParts([part]).filter(({ children }) => children.length === 0);
  const visible = leaves.filter((leaf) => leaf.visible).length;
  if (!part.visible || visible === 0) return 'false';
  return visible === leaves.length ? 'true' : 'mixed';
}

/** Whether the name of a part contains a text, in any case. */
export function isMatch({ name }: PartNode, query: string): boolean {
  return name.toLocaleLowerCase().includes(query.trim().toLocaleLowerCase());
}

/** Returns the ids of the parts that match, and of the parts around them. */
function findMatching(parts: readonly PartNode[], query: string): Set<number> {
  const parents = new Map<number, number>();
  const matching = new Set<number>();
  for (const part of listParts(parts)) {
    for (const child of part.children) parents.set(child.id, part.id);
    if (!isMatch(part, query)) continue;
    let id: number | undefined = part.id;
    while (id !== undefined && !matching.has(id)) {
      matching.add(id);
      id = parents.get(id);
    }
  }
  return matching;
}
