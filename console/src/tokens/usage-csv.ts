import type { EmbedUsage } from '@cloche/contract/embed-usage';

const COLUMNS = ['day', 'origin', 'design', 'views', 'bytes', 'firstSeenAt', 'lastSeenAt'] as const;

/** Formats usage as CSV (RFC 4180), with a line of column names. */
export function formatUsageCsv(usage: readonly EmbedUsage[]): string {
  const lines = usage.map((item) => COLUMNS.map((column) => quoteCell(String(item[column] ?? ''))));
  return [COLUMNS, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Spreadsheets run a cell that begins with one of these characters as a formula. */
function quoteCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
