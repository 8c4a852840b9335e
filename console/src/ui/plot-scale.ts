/** A value, or null where nothing was measured. */
export type PlotValue = number | null;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** About so many lines across a plot. */
const TICK_COUNT = 4;

/**
 * Returns the values of the lines across a plot: 0, steps of 1, 2 or 5 times a power of ten, and a last one that no value exceeds.
 *
 * @param minStep the smallest step: 1 if all values are whole numbers
 */
export function findValueTicks(max: number, minStep = 0): number[] {
  const rough = Math.max(max, 0) / TICK_COUNT;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= rough) ?? 1;
  const usedStep = Math.max(rough === 0 ? 1 : step, minStep);
  const count = Math.max(1, Math.ceil(max / usedStep - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => index * usedStep);
}

/** Returns the full hours of local time, every `everyHours` since midnight, within a period. */
export function findTimeTicks(from: number, to: number, everyHours: number): number[] {
  const first = new Date(from);
  first.setHours(0, 0, 0, 0);
  const ticks: number[] = [];
  for (let hours = 0; ; hours += everyHours) {
    const tick = new Date(first);
    // Days on which the clocks change do not have 24 hours.
    tick.setHours(hours);
    if (tick.getTime() > to) return ticks;
    if (tick.getTime() >= from) ticks.push(tick.getTime());
  }
}

/** About so many days below a plot. */
const DAY_TICK_COUNT = 4;

/** Returns days of a period, in UTC, with the same distance: 00:00 of each. */
export function findDayTicks(from: number, to: number): number[] {
  const stepMs = Math.max(1, Math.ceil((to - from) / DAY_MS / DAY_TICK_COUNT)) * DAY_MS;
  const first = Math.ceil(from / DAY_MS) * DAY_MS;
  const count = Math.floor((to - first) / stepMs) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * stepMs);
}

type LineScale = {
  times: readonly number[];
  from: number;
  to: number;
  /** The value at the top. */
  max: number;
  /** Samples that are further apart are not connected. */
  maxGapMs: number;
};

/** The width and the height of the coordinates of `toLinePath`. */
export const PLOT_SIZE = 1000;

/** Returns the path of a line in a square of `PLOT_SIZE`. It is interrupted where there are no samples. */
export function toLinePath(values: readonly PlotValue[], scale: LineScale): string {
  const { times, from, to, max, maxGapMs } = scale;
  let path = '';
  let previous: number | undefined;
  for (const [index, time] of times.entries()) {
    const value = values[index] ?? null;
    if (value === null) {
      previous = undefined;
      continue;
    }
    const x = round(((time - from) / (to - from)) * PLOT_SIZE);
    const y = round((1 - value / max) * PLOT_SIZE);
    const connected = previous !== undefined && time - previous <= maxGapMs;
    // The short line shows a sample that has no neighbours. Browsers do not draw dashed lines of no length.
    path += connected ? `L${x} ${y}` : `M${x} ${y}h.1`;
    previous = time;
  }
  return path;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Returns the index of the sample that is closest to a time. `times` must be ascending and not empty. */
export function findClosestIndex(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  const before = times[low - 1];
  const after = times[low] ?? 0;
  return before !== undefined && time - before <= after - time ? low - 1 : low;
}

/** The lowest and the highest value of each series in an hour. */
export type PlotHour = { time: number; ranges: ({ min: number; max: number } | undefined)[] };

/** Returns the hours in which there are samples, oldest first. */
export function summarizeHours(
  times: readonly number[],
  series: readonly (readonly PlotValue[])[],
): PlotHour[] {
  const hours = new Map<number, number[]>();
  for (const [index, time] of times.entries()) {
    const hour = time - (time % HOUR_MS);
    hours.set(hour, [...(hours.get(hour) ?? []), index]);
  }
  return [...hours].map(([time, indexes]) => ({
    time,
    ranges: series.map((values) => {
      const measured = indexes.map((index) => values[index] ?? null).filter((v) => v !== null);
      if (measured.length === 0) return undefined;
      return { min: Math.min(...measured), max: Math.max(...measured) };
    }),
  }));
}
