import { Problem } from '@cloche/contract/problem';

// Control characters, and the ones that turn the direction of the text around them.
const FORBIDDEN_CHARACTERS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** In characters, as JSON Schema counts them. */
export const MAX_NAME_LENGTH = 200;

/**
 * Checks a name that people will read: one line, no control or direction-turning characters.
 *
 * @throws {Problem} request.invalid
 */
export function parseDisplayName(text: string, field: string): string {
  const trimmed = text.trim();
  const fault = !text.isWellFormed()
    ? 'has a broken character (an unpaired surrogate)'
    : FORBIDDEN_CHARACTERS.test(trimmed)
      ? 'has a control character, such as a line break'
      : trimmed === ''
        ? 'is empty'
        : undefined;
  if (fault === undefined) return trimmed.normalize('NFC');
  throw new Problem('request.invalid', {
    field,
    detail: `${field}: ${fault}. Write plain text on one line, such as "Oak chair".`,
  });
}

/** Makes a presentable name of a file's name, which may be anything; undefined if nothing is left. */
export function toDisplayName(fileName: string): string | undefined {
  const base = fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = base
    .replace(new RegExp(FORBIDDEN_CHARACTERS, 'gu'), '')
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .normalize('NFC')
    .trim();
  // By characters, not by halves of them.
  const short = [...name].slice(0, MAX_NAME_LENGTH).join('').trim();
  return short === '' ? undefined : short;
}
