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
  return fillPlaceholders(getText(key), parameters);
}

/** Whether a text is in the document, or has been added. */
export function hasText(key: MessageKey): boolean {
  return key in messages;
}

/** Returns the text of a key as it is written, with its placeholders. */
export function getText(key: MessageKey): string {
  return messages[key] ?? key;
}

/** Replaces each `{name}` with the parameter of that name. */
export function fillPlaceholders(text: string, parameters: MessageParameters = {}): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => formatParameter(parameters[name] ?? ''));
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
