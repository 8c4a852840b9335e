/** One line of the results: our number, the number of the baseline, and their ratio; above 1, ours is better. */
export type BenchResult = {
  label: string;
  ours: number;
  baseline: number;
  ratio: number;
  unit: string;
  /** Absent: the numbers are only printed. */
  goal?: BenchGoal;
};

export type BenchGoal = { text: string; isMet: boolean };

/**
 * Computes the medians of both, and the median of the ratios of the rounds: a machine that is slow for
 * a while is slow for both. Only ratios can be compared between machines.
 */
export function compareRounds(ours: number[], baseline: number[]) {
  const ratios = ours.map((value, round) => value / (baseline[round] as number));
  return { ours: median(ours), baseline: median(baseline), ratio: median(ratios) };
}

/** Prints one line for each result. If a goal is not met, the process fails when it ends. */
export function printResults(rows: readonly BenchResult[]): void {
  for (const { label, ours, baseline, ratio, unit, goal } of rows) {
    const numbers = `${Math.round(ours)} vs. ${Math.round(baseline)} ${unit}`;
    const result = goal === undefined ? '' : `   (${goal.text}: ${goal.isMet ? 'met' : 'NOT MET'})`;
    console.log(`${ratio.toFixed(2).padStart(6)}  ${label.padEnd(46)} ${numbers}${result}`);
    if (goal?.isMet === false) process.exitCode = 1;
  }
}

/** The goal of a ratio. */
export function expectAtLeast(ratio: number, least: number): BenchGoal {
  return { text: `at least ${least}`, isMet: ratio >= least };
}

/** Computes the median of the values. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
