import { common } from '../i18n/en/common.ts';

const UNITS = common.byteUnits;
/** Creating a formatter takes longer than all else that a card of a long list needs. */
const DATE_FORMAT = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const TIME_FORMAT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a size with three digits: `1.23 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** Formats a whole number with separators: `48,210`. */
export function formatInteger(count: number): string {
  return count.toLocaleString('en');
}

/** Formats a short duration: `940 ms`, from one second on `3.1 s`. */
export function formatMilliseconds(durationMs: number): string {
  const rounded = Math.round(durationMs);
  if (rounded < 1000) return `${rounded} ms`;
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** Formats a time as "5 minutes ago", or as a date if it is more than a day ago. */
export function formatAge(time: Date, now: Date): string {
  const minutes = Math.round((now.getTime() - time.getTime()) / 60_000);
  if (minutes < 1) return common.justNow;
  if (minutes < 60) return common.ago(common.minutes(minutes));
  const hours = Math.round(minutes / 60);
  if (hours < 24) return common.ago(common.hours(hours));
  return DATE_FORMAT.format(time);
}

/** Formats a time with its date, in the time zone of the browser: `Jan 5, 2027, 10:30 AM`. */
export function formatTime(time: Date): string {
  return TIME_FORMAT.format(time);
}
