/**
 * Gives each animation or variant a name that selects only it: `Animation 2` for the second if it has none, and
 * `Open (2)` for the second that is called `Open`. The results depend only on the names and their order.
 *
 * @param label for those without a name
 */
export function toUniqueNames(names: readonly string[], label: string): string[] {
  const reserved = new Set(names);
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return names.map((name, index) => {
    const base = name || `${label} ${index + 1}`;
    let unique = base;
    let count = counts.get(base) ?? 1;
    // The name may be that of a later entry, which keeps it.
    while (used.has(unique) || (unique !== name && reserved.has(unique))) {
      count++;
      unique = `${base} (${count})`;
    }
    counts.set(base, count);
    used.add(unique);
    return unique;
  });
}
