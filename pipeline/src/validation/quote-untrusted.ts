const MAX_QUOTED_LENGTH = 60;

/** Text from a stranger's file, made fit to be shown: short, and nothing in it that steers a terminal or a line. */
export function quoteUntrusted(text: string): string {
  // \p{C} has the controls, the bidi overrides and the zero-widths; lone surrogates too.
  const start = Array.from(text.slice(0, 4 * MAX_QUOTED_LENGTH));
  const shown = start
    .slice(0, MAX_QUOTED_LENGTH)
    .join('')
    .replace(/[\p{C}\p{Zl}\p{Zp}"]/gu, '\uFFFD');
  return `"${shown}${start.length > MAX_QUOTED_LENGTH ? '…' : ''}"`;
}
