/** What was done in a round of a measurement, and what it took: requests and seconds of processor time, for example. */
export type Round = { done: number; cost: number };

/** A ratio, and how far from it the true one may be: two standard errors. */
export type PooledRatio = { ratio: number; spread: number };

/**
 * Computes how much more is done for the same cost than in the baseline. All rounds count together, so that the resolution of a clock
 * matters less than in one round. Round n of both is a pair: a machine that is slow for a while is slow for both. The spread is
 * that of a jackknife over the pairs.
 */
export function poolRounds(ours: readonly Round[], baseline: readonly Round[]): PooledRatio {
  const count = ours.length;
  if (count !== baseline.length || count < 3)
    throw new Error('Both need the same number of rounds, at least 3.');
  const ratio = sumPerCost(ours) / sumPerCost(baseline);
  const without = ours.map(
    (_, index) => sumPerCost(ours.toSpliced(index, 1)) / sumPerCost(baseline.toSpliced(index, 1)),
  );
  const mean = without.reduce((sum, value) => sum + value, 0) / count;
  const squares = without.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { ratio, spread: 2 * Math.sqrt(((count - 1) / count) * squares) };
}

/** How much was done for each unit of cost in all rounds. */
export function sumPerCost(rounds: readonly Round[]): number {
  const [done, cost] = rounds.reduce(
    ([doneSoFar, costSoFar], round) => [doneSoFar + round.done, costSoFar + round.cost],
    [0, 0],
  );
  return done / cost;
}

/** Calls a function for each of several things in each round, and never in the same order twice in a row. Warm-up rounds have negative numbers. */
export async function alternate(
  { warmUpRounds, rounds, count }: { warmUpRounds: number; rounds: number; count: number },
  measure: (index: number, round: number) => Promise<void>,
): Promise<void> {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let round = -warmUpRounds; round < rounds; round += 1)
    for (const index of round % 2 === 0 ? order : order.toReversed()) await measure(index, round);
}
