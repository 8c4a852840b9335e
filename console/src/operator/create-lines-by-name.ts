import type { MetricSample } from '@cloche/contract/metric-history';
import { operatorTexts } from '../i18n/en/operator.ts';
import type { SampleLine } from './plot-of-samples.ts';

const TONES = ['first', 'second', 'third', 'fourth'] as const;

/** How often something happened in a minute, and how often with some of its names. */
type CountsByName = { all: number; byName: Readonly<Record<string, number>> };

/**
 * Creates a line for each of the most frequent names, and one for all others.
 *
 * @param read returns null for a sample that has no such counts
 */
export function createLinesByName(
  samples: readonly MetricSample[],
  read: (sample: MetricSample) => CountsByName | null,
): SampleLine[] {
  const totals = new Map<string, number>();
  for (const sample of samples)
    for (const [name, count] of Object.entries(read(sample)?.byName ?? {}))
      totals.set(name, (totals.get(name) ?? 0) + count);
  const names = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const shown = names.slice(0, TONES.length);
  const countOthers = (sample: MetricSample) => {
    const counts = read(sample);
    if (counts === null) return null;
    return shown.reduce((rest, name) => rest - (counts.byName[name] ?? 0), counts.all);
  };
  const lines = shown.map((name, index): SampleLine => {
    const readOne = (sample: MetricSample) => {
      const counts = read(sample);
      return counts === null ? null : (counts.byName[name] ?? 0);
    };
    return [name, TONES[index] ?? 'first', readOne];
  });
  // Nodes of older versions do not count by name.
  if (samples.some((sample) => (countOthers(sample) ?? 0) > 0))
    lines.push([operatorTexts.metrics.others, 'fifth', countOthers]);
  return lines;
}
