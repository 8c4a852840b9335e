import type { MetricSample } from '@cloche/contract/metric-history';
import { operatorTexts } from '../i18n/en/operator.ts';
import type { PlotSeries } from '../ui/plot-series.ts';
import { jobPlots } from './metric-plots-jobs.ts';
import { machinePlots } from './metric-plots-machine.ts';
import { requestPlots, visitorPlots } from './metric-plots-requests.ts';
import { storagePlots } from './metric-plots-storage.ts';
import type { PlotOfSamples } from './plot-of-samples.ts';

type PlotGroup = keyof typeof operatorTexts.metrics.groups;

/** A plot of the page of operators. */
type MetricPlot = Pick<PlotOfSamples, 'title' | 'unit' | 'formatValue' | 'minStep'> & {
  id: string;
  series: PlotSeries[];
};

type MetricPlotGroup = { id: string; title: string; plots: MetricPlot[] };

/** The plots of the page of operators, in their order, by their ids. */
export const METRIC_PLOT_GROUPS: Record<PlotGroup, Record<string, PlotOfSamples>> = {
  visitors: visitorPlots,
  requests: requestPlots,
  jobs: jobPlots,
  machine: machinePlots,
  storage: storagePlots,
};

/** Returns the plots of samples of the service or of a node. What does not apply to the service is left out. */
export function createMetricPlots(samples: readonly MetricSample[]): MetricPlotGroup[] {
  return Object.entries(METRIC_PLOT_GROUPS).map(([group, plots]) => ({
    id: group,
    title: operatorTexts.metrics.groups[group as PlotGroup],
    plots: Object.entries(plots)
      .filter(([, { applies }]) => applies?.(samples) ?? true)
      .map(([id, plot]) => createPlot(id, plot, samples)),
  }));
}

function createPlot(
  id: string,
  { lines, ...plot }: PlotOfSamples,
  samples: readonly MetricSample[],
): MetricPlot {
  const found = typeof lines === 'function' ? lines(samples) : lines;
  const series = found.map(([name, tone, read]) => ({ name, tone, values: samples.map(read) }));
  return { ...plot, id, series };
}
