import type { PlotValue } from './plot-scale.ts';
import type { plotTimes } from './plot-time.ts';

/** The colors of lines. Lines of a plot also differ in their dashes. */
export type PlotTone = 'first' | 'second' | 'third' | 'fourth' | 'fifth' | 'bad';

export type PlotSeries = { name: string; tone: PlotTone; values: readonly PlotValue[] };

export type LinePlotProps = {
  title: string;
  /** What the values are: `requests per minute`. */
  unit: string;
  /** When the samples were taken, in milliseconds since 1970, ascending. */
  times: readonly number[];
  series: readonly PlotSeries[];
  /** The period that is shown. */
  from: number;
  to: number;
  /** Samples that are further apart are not connected. */
  maxGapMs: number;
  formatValue: (value: number) => string;
  /** The smallest distance of the lines across the plot: 1 for whole numbers. */
  minStep?: number;
  /** What the times are. */
  timeKind?: keyof typeof plotTimes;
  /** Of the title. Default: 3. */
  headingLevel?: 3 | 4;
};
