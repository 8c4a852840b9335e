import type { EmbedUsage } from '@cloche/contract/embed-usage';

export const DAY_MS = 86_400_000;

/** The usage of some days. `time` is the begin of the first one, in UTC. */
type UsagePeriod = { time: number; views: number; bytes: number };

type GroupOptions = {
  /** The last day of the last period: `2026-05-04`. */
  lastDay: string;
  days: number;
  /** The days of a period. Days of the oldest one that is not complete are left out. */
  periodDays: number;
};

/** Adds up the usage of days. Also returns the periods without usage, oldest first. */
export function groupUsage(
  usage: readonly EmbedUsage[],
  { lastDay, days, periodDays }: GroupOptions,
): UsagePeriod[] {
  const byTime = new Map(usage.map((item) => [Date.parse(item.day ?? ''), item]));
  const count = Math.floor(days / periodDays);
  const first = Date.parse(lastDay) - (count * periodDays - 1) * DAY_MS;
  return Array.from({ length: count }, (_, period) => {
    const time = first + period * periodDays * DAY_MS;
    const items = Array.from({ length: periodDays }, (_, day) => byTime.get(time + day * DAY_MS));
    return {
      time,
      views: items.reduce((sum, item) => sum + (item?.views ?? 0), 0),
      bytes: items.reduce((sum, item) => sum + (item?.bytes ?? 0), 0),
    };
  });
}
