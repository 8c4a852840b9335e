const DATE_TIME =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)T(?<hour>\d\d):(?<minute>\d\d)(:(?<second>\d\d)(\.\d{1,9})?)?(Z|[+-](?<offsetHour>\d\d):(?<offsetMinute>\d\d))$/;

/** The latest time that the API accepts and returns. Later years have more than four digits. */
export const LATEST_TIME = new Date('9999-12-31T23:59:59.999Z');

/**
 * Parses ISO 8601 with a time zone. Digits after the milliseconds are cut off.
 *
 * Returns undefined for any other text, and for days and times that do not exist: `new Date` reads
 * 2027-02-30 as 2 March, and 24:00 as the next day. The result can be after `LATEST_TIME`, because of
 * the time zone.
 */
export function parseDateTime(text: string): Date | undefined {
  const groups = DATE_TIME.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const read = (name: string) => Number(groups[name] ?? 0);
  if (read('hour') > 23 || read('minute') > 59 || read('second') > 59) return undefined;
  if (read('offsetHour') > 23 || read('offsetMinute') > 59) return undefined;
  const day = new Date(`${groups.year}-${groups.month}-${groups.day}T00:00:00Z`);
  // A day that does not exist is an invalid date, or a day of the next month.
  return day.getUTCDate() === read('day') ? new Date(text) : undefined;
}

/** Whether a text is a day that exists: `2026-05-04`. */
export function isDate(text: string): boolean {
  return /^[\d-]{10}$/.test(text) && parseDateTime(`${text}T00:00Z`) !== undefined;
}
