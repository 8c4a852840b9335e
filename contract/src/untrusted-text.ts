const DEFAULT_QUOTED_LENGTH = 60;

/**
 * Characters that are invisible or that change how the text around them is displayed. `\p{C}` includes
 * control characters, bidi overrides, zero-width characters and lone surrogates.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const SPACES_AND_UNPRINTABLE = /[\s\p{C}\p{Z}]+/gu;

/**
 * Quotes untrusted text for use inside a sentence, a log line or a terminal.
 *
 * Unprintable characters and quotation marks become U+FFFD, so that the text can neither end the
 * quotation nor affect what follows it.
 *
 * @param maxLength in code points, without the quotation marks; longer text ends with an ellipsis
 * @example quoteUntrusted('a\nb') // '"a\uFFFDb"'
 */
export function quoteUntrusted(text: string, maxLength: number = DEFAULT_QUOTED_LENGTH): string {
  // Only the start is split: a code point has at most two code units.
  const codePoints = Array.from(text.slice(0, 2 * maxLength + 2));
  const shown = codePoints
    .slice(0, maxLength)
    .join('')
    .replace(UNPRINTABLE, '\uFFFD')
    .replaceAll('"', '\uFFFD');
  return `"${shown}${codePoints.length > maxLength ? '…' : ''}"`;
}

/**
 * Converts untrusted text, such as the message of an error, to one line for a log or a problem.
 *
 * Each run of spaces and unprintable characters becomes one space.
 *
 * @param maxLength in code points, including the ellipsis with which longer text ends
 * @example toSingleLine(' two\n\nlines ', 80) // 'two lines'
 */
export function toSingleLine(text: string, maxLength: number): string {
  const line = text.replace(SPACES_AND_UNPRINTABLE, ' ').trim();
  if (line.length <= maxLength) return line;
  const codePoints = Array.from(line.slice(0, 2 * maxLength + 2));
  if (codePoints.length <= maxLength) return line;
  return `${codePoints.slice(0, maxLength - 1).join('')}…`;
}
