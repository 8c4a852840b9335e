/** One line of the result: how often we do something, how often the other does, and the ratio. */
export type Row = {
  what: string;
  ours: number;
  other: number;
  ratio: number;
  unit: string;
  target: string;
};

/**
 * Medians of both sides, and of what ours is to the other in the same round: a machine that is slow
 * for a while is slow for both. Compare ratios; the numbers are this machine's.
 */
export function ratio(ours: number[], other: number[]) {
  const ratios = ours.map((one, round) => one / (other[round] as number));
  return { ours: median(ours), other: median(other), ratio: median(ratios) };
}

export function print(rows: readonly Row[]): void {
  for (const { what, ours, other, ratio, unit, target } of rows) {
    const numbers = `${Math.round(ours)} against ${Math.round(other)} ${unit}`;
    console.log(
      `${ratio.toFixed(2).padStart(6)}  ${what.padEnd(46)} ${numbers}${target && `   (${target})`}`,
    );
  }
}

/** The value in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
