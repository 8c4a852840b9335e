import { en, type MessageKey } from './en.ts';

/** Values for the `{name}` placeholders of a text. Numbers are written as in the language of the document. */
export type MessageParameters = Readonly<Record<string, string | number>>;

/** In the built viewer, `en.ts` has the texts of the document, in its language. */
const messages: Record<string, string> = { ...en };

/** Adds the texts of the scripts that are loaded after the first frame. */
export function addMessages(texts: Readonly<Record<string, string>>): void {
  Object.assign(messages, texts);
}

/** Returns the text of a key, with its placeholders filled. It is plain text, never HTML. */
export function translate(key: MessageKey, parameters?: MessageParameters): string {
  return fillPlaceholders(messages[key] ?? key, parameters);
}

/**
 * Replaces each `{name}` with the parameter of that name, after it has chosen the plural forms: of
 * `{count, plural, one {# part} other {# parts}}`, as in ICU messages. `#` is the number.
 */
export function fillPlaceholders(text: string, parameters: MessageParameters = {}): string {
  return text
    .replace(PLURAL, (_, name: string, forms: string) => {
      const category = new Intl.PluralRules(getLanguage()).select(Number(parameters[name]));
      const form = findForm(forms, category) ?? findForm(forms, 'other') ?? '';
      return form.replaceAll('#', `{${name}}`);
    })
    .replace(/\{(\w+)\}/g, (_, name: string) => formatParameter(parameters[name] ?? ''));
}

const PLURAL = /\{(\w+), plural,((?: \w+ \{[^}]*\})+)\}/g;

function findForm(forms: string, category: string): string | undefined {
  return new RegExp(` ${category} \\{([^}]*)`).exec(forms)?.[1];
}

function formatParameter(value: string | number): string {
  if (typeof value === 'number') return value.toLocaleString(getLanguage());
  // Isolated, names and origins do not change the direction of the text around them.
  return globalThis.document?.dir === 'rtl' ? `\u2068${value}\u2069` : value;
}

/** The language of the document, as a BCP 47 tag. */
export function getLanguage(): string {
  return globalThis.document?.documentElement.lang || 'en';
}
