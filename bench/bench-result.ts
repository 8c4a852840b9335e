/** One line of the result: how often we do something, how often the other does, and the ratio. */
export type BenchResult = {
  label: string;
  ours: number;
  baseline: number;
  ratio: number;
  unit: string;
  goal: string;
};

/**
 * Medians of both sides, and of what ours is to the other in the same round: a machine that is slow
 * for a while is slow for both. Compare ratios; the numbers are this machine's.
 */
export function compareRounds(ours: number[], baseline: number[]) {
  const ratios = ours.map((one, round) => one / (baseline[round] as number));
  return { ours: median(ours), baseline: median(baseline), ratio: median(ratios) };
}

export function printResults(rows: readonly BenchResult[]): void {
  for (const { label, ours, baseline, ratio, unit, goal } of rows) {
    const numbers = `${Math.round(ours)} against ${Math.round(baseline)} ${unit}`;
    console.log(
      `${ratio.toFixed(2).padStart(6)}  ${label.padEnd(46)} ${numbers}${goal && `   (${goal})`}`,
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
