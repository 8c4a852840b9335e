/** The languages of the viewer and of the pages that visitors read. Has no dependencies: the viewer imports it. */
import type { Language } from './viewer-options.ts';

export type TextDirection = 'ltr' | 'rtl';

const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set(['ar']);

/** Returns the value of the HTML attribute `dir`. */
export function toTextDirection(language: Language): TextDirection {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}
