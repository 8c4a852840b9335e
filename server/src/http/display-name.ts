import { Problem } from '@cloche/contract/problem';

// Control characters, line separators, and characters that change the direction of the text.
const FORBIDDEN_CHARACTERS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** In code points, as JSON Schema counts them. */
export const MAX_NAME_LENGTH = 200;

/**
 * Parses a name that is shown to people: one line, without control and text direction characters.
 *
 * @throws {Problem} request.invalid
 */
export function parseDisplayName(text: string, field: string): string {
  const trimmed = text.trim();
  const reason = findInvalidReason(text, trimmed);
  if (reason === undefined) return trimmed.normalize('NFC');
  throw new Problem('request.invalid', {
    field,
    detail: `${field}: ${reason}. Write plain text on one line, such as "Oak chair".`,
  });
}

function findInvalidReason(text: string, trimmed: string): string | undefined {
  if (!text.isWellFormed()) return 'has an invalid character (an unpaired surrogate)';
  if (trimmed.search(FORBIDDEN_CHARACTERS) >= 0)
    return 'has a control character, such as a line break';
  return trimmed === '' ? 'is empty' : undefined;
}

/** Converts a file name to a display name. Returns undefined if it has no character that is allowed. */
export function toDisplayName(fileName: string): string | undefined {
  const baseName = fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = baseName
    .replace(FORBIDDEN_CHARACTERS, '')
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .normalize('NFC')
    .trim();
  // The spread keeps surrogate pairs together.
  const shortened = [...name].slice(0, MAX_NAME_LENGTH).join('').trim();
  return shortened === '' ? undefined : shortened;
}
