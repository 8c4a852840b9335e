import { DAY_MS } from './group-usage.ts';

/** The days whose usage is shown, in UTC: the last ones until today, or those between two days. */
export type UsageRange = { days: number } | { from: string; to: string };

/** How long the service keeps usage. */
export const MAX_USAGE_DAYS = 400;

/** Returns the day that was some days before `now`, in UTC: `2026-05-04`. */
export function toUsageDay(daysAgo: number, now = Date.now()): string {
  return new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the first and the last day of a range, and their number. */
export function resolveRange(range: UsageRange, now = Date.now()) {
  if ('days' in range)
    return { from: toUsageDay(range.days - 1, now), to: toUsageDay(0, now), days: range.days };
  const { from, to } = range;
  return { from, to, days: (Date.parse(to) - Date.parse(from)) / DAY_MS + 1 };
}
