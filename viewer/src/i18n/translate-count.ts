/** Texts with plural forms. Not in translate.ts: the scripts of the first frame have no such texts. */
import type { MessageKey } from './en.ts';
import { fillPlaceholders, getLanguage, getText } from './translate.ts';

/** Returns the text of a key in the form for the parameter `count`. */
export function translateCount(key: MessageKey, count: number): string {
  return fillCount(getText(key), count);
}

/**
 * Chooses the form of `{count, plural, one {# part} other {# parts}}`, as in ICU messages, by the language of the document.
 * `#` is the number.
 */
export function fillCount(text: string, count: number): string {
  const chosen = text.replace(PLURAL, (_, forms: string) => {
    const category = new Intl.PluralRules(getLanguage()).select(count);
    const form = findForm(forms, category) ?? findForm(forms, 'other') ?? '';
    return form.replaceAll('#', '{count}');
  });
  return fillPlaceholders(chosen, { count });
}

const PLURAL = /\{count, plural,((?: \w+ \{[^}]*\})+)\}/g;

function findForm(forms: string, category: string): string | undefined {
  return new RegExp(` ${category} \\{([^}]*)`).exec(forms)?.[1];
}
