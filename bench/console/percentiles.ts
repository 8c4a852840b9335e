export type Percentiles = { p50: number; p95: number; p99: number; max: number };

/** Computes what half, 95 % and 99 % of the values do not exceed, and the greatest value. */
export function computePercentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
