import type { EmbedUsage } from '@cloche/contract/embed-usage';
import { useMemo } from 'react';
import { texts } from '../i18n/en.ts';
import { formatBytes, formatInteger } from '../ui/format.ts';
import { LinePlot } from '../ui/line-plot.tsx';
import { DAY_MS, groupUsage } from './group-usage.ts';
import { resolveRange, type UsageRange } from './usage-range.ts';

type UsagePlotsProps = { usage: readonly EmbedUsage[]; range: UsageRange };

/** Above this, a plot has a value for 7 days. */
const MAX_SINGLE_DAYS = 90;

/** The views and the bytes of each day or week, as lines. */
export function UsagePlots({ usage, range }: UsagePlotsProps) {
  const { viewsOverTime, bytesOverTime, perDay, perWeek } = texts.tokens.usage;
  const { to: lastDay, days } = resolveRange(range);
  const periodDays = days > MAX_SINGLE_DAYS ? 7 : 1;
  const periods = useMemo(
    () => groupUsage(usage, { lastDay, days, periodDays }),
    [usage, lastDay, days, periodDays],
  );
  const times = periods.map(({ time }) => time);
  // A plot of one day needs a width.
  const edgeMs = times.length === 1 ? DAY_MS / 2 : 0;
  const plot = {
    unit: periodDays === 1 ? perDay : perWeek,
    times,
    from: (times[0] ?? 0) - edgeMs,
    to: (times.at(-1) ?? 0) + edgeMs,
    maxGapMs: periodDays * DAY_MS,
    minStep: 1,
    timeKind: 'days',
  } as const;
  const views = periods.map((period) => period.views);
  const bytes = periods.map((period) => period.bytes);
  return (
    <div className="usage-plots">
      <LinePlot
        {...plot}
        title={viewsOverTime}
        series={[{ name: viewsOverTime, tone: 'first', values: views }]}
        formatValue={formatInteger}
      />
      <LinePlot
        {...plot}
        title={bytesOverTime}
        series={[{ name: bytesOverTime, tone: 'second', values: bytes }]}
        formatValue={formatBytes}
      />
    </div>
  );
}
