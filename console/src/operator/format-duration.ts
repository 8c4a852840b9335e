import { common } from '../i18n/en/common.ts';

const UNITS: [format: (count: number) => string, minutes: number][] = [
  [common.days, 24 * 60],
  [common.hours, 60],
  [common.minutes, 1],
];

/** Formats a duration with its two largest units: `3 days 4 hours`. */
export function formatDuration(ms: number): string {
  let minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return common.shortTime;
  const parts = UNITS.map(([format, size]) => {
    const count = Math.floor(minutes / size);
    minutes %= size;
    return count === 0 ? '' : format(count);
  });
  const first = parts.findIndex((part) => part !== '');
  return parts
    .slice(first, first + 2)
    .filter((part) => part !== '')
    .join(' ');
}
