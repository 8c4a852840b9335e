import type { Token } from '@cloche/contract/token';

/** A token and how many of its ancestors are listed above it. */
type ListedToken = { token: Token; depth: number };

/** Orders tokens as a tree: each below the one that created it. A token whose creator is not in the list is at the top. */
export function orderTokens(tokens: readonly Token[]): ListedToken[] {
  const ids = new Set(tokens.map(({ id }) => id));
  const children = Map.groupBy(tokens, ({ id, issuedBy }) =>
    issuedBy !== null && issuedBy !== id && ids.has(issuedBy) ? issuedBy : '',
  );
  const listed: ListedToken[] = [];
  const pending = (children.get('') ?? []).map((token) => ({ token, depth: 0 })).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next;
    listed.push(next);
    const below = children.get(token.id) ?? [];
    pending.push(...below.map((child) => ({ token: child, depth: depth + 1 })).reverse());
  }
  return listed;
}
