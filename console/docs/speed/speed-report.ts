import type { EmbedTimings } from './measure-embed.ts';

/** A row of figures: a name, and a value for each load. */
export type Figure = { name: string; values: string[] };

/** Lists the figures of all loads. Without a poster and without long tasks in any load, their rows are missing. */
export function listFigures(loads: readonly EmbedTimings[]): Figure[] {
  const row = (name: string, format: (load: EmbedTimings) => string): Figure => ({
    name,
    values: loads.map(format),
  });
  const figures = [
    row('Poster', ({ posterMs }) => formatMs(posterMs)),
    row('First 3D frame', ({ first3dMs }) => formatMs(first3dMs)),
    row('Full model', ({ fullMs }) => formatMs(fullMs)),
    row('Blocking', ({ blockingMs }) => formatMs(blockingMs)),
    row('Received', ({ bytes }) => `${Math.round(bytes / 1000)} kB`),
    row('Frame, median', ({ frameTimes }) => formatMs(toQuantile(frameTimes, 0.5), 1)),
    row('Frame, slowest 5 %', ({ frameTimes }) => formatMs(toQuantile(frameTimes, 0.95), 1)),
  ];
  return figures.filter(({ values }) => values.some((value) => value !== NO_VALUE));
}

const NO_VALUE = '–';

/** Renders the device and the figures as text to copy. */
export function renderSpeedReport(
  device: readonly (readonly [string, string])[],
  design: string,
  figures: readonly Figure[],
): string {
  const lines = [
    ...device,
    ['Design', design] as const,
    ...figures.map(({ name, values }) => [name, values.join(', ')] as const),
  ];
  return lines.map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** The value below which a share of the values lies. */
export function toQuantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function formatMs(value: number | undefined, digits = 0): string {
  return value === undefined || Number.isNaN(value) ? NO_VALUE : `${value.toFixed(digits)} ms`;
}
