const UNITS = ['bytes', 'kB', 'MB', 'GB'];

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

/** Formats a length in metres: `84 cm`. */
export function formatLength(metres: number): string {
  if (metres >= 100) return `${formatInteger(Math.round(metres))} m`;
  if (metres >= 1) return `${metres.toFixed(2)} m`;
  if (metres >= 0.01) return `${(metres * 100).toFixed(1)} cm`;
  return `${(metres * 1000).toPrecision(2)} mm`;
}

/** Formats a time as "5 minutes ago", or as a date if it is more than a day ago. */
export function formatAge(time: Date, now: Date): string {
  const minutes = Math.round((now.getTime() - time.getTime()) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 24) return hours === 1 ? '1 hour ago' : `${hours} hours ago`;
  return time.toLocaleDateString('en', { dateStyle: 'medium' });
}
