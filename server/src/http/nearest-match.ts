/** Longer texts are not compared: the names and values of the API are shorter. */
const MAX_TEXT_LENGTH = 64;

/**
 * Finds the candidate that was probably meant: the one with the fewest typing errors, or undefined if
 * none is similar. Case, `_` and `-` make no difference.
 *
 * @example findNearestMatch('expires_at', ['name', 'expiresAt']) // 'expiresAt'
 */
export function findNearestMatch(text: string, candidates: readonly string[]): string | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const normalized = normalize(text);
  let nearest: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const other = normalize(candidate);
    const maxDistance = Math.floor(0.4 * Math.max(normalized.length, other.length));
    // Each edit changes the length by one at most.
    if (Math.abs(normalized.length - other.length) > maxDistance) continue;
    const distance = countEdits(normalized, other);
    if (distance <= maxDistance && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
      nearest = { candidate, distance };
  }
  return nearest?.candidate;
}

const normalize = (text: string) => text.toLowerCase().replace(/[_-]/g, '');

/** Counts inserted, deleted, replaced and swapped characters (optimal string alignment distance). */
function countEdits(from: string, to: string): number {
  const table: number[][] = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number) => table[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    const counts = [row];
    table.push(counts);
    for (let column = 1; column <= to.length; column += 1) {
      const isEqual = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      counts[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isEqual ? 0 : 1),
        at(row - 2, column - 2) + (isSwap ? 1 : 2),
      );
    }
  }
  return at(from.length, to.length);
}
