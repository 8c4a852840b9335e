import type { MetricSample } from '@cloche/contract/metric-history';
import { formatInteger } from '../ui/format.ts';
import type { PlotValue } from '../ui/plot-scale.ts';
import type { LinePlotProps, PlotTone } from '../ui/plot-series.ts';

/** A line of a plot, and where its values are. */
export type SampleLine = [name: string, tone: PlotTone, read: (sample: MetricSample) => PlotValue];

/** How a plot is made of samples. */
export type PlotOfSamples = Pick<LinePlotProps, 'title' | 'unit' | 'formatValue' | 'minStep'> & {
  lines: SampleLine[] | ((samples: readonly MetricSample[]) => SampleLine[]);
  /** Whether the service has what the plot shows. Default: always. */
  applies?: (samples: readonly MetricSample[]) => boolean;
};

/** How whole numbers are shown. */
export const COUNTS = { formatValue: formatInteger, minStep: 1 };

/** How durations are shown. */
export const TIMES = {
  formatValue: (value: number) => `${formatInteger(Math.round(value))} ms`,
  minStep: 1,
};

/** How long durations are shown. */
export const SECONDS = { formatValue: (value: number) => `${formatInteger(round(value))} s` };

/** How parts of a hundred are shown. */
export const PERCENTS = { formatValue: (value: number) => `${formatInteger(round(value))} %` };

function round(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}
