import { en, type MessageKey } from './en.ts';

/** Values for the `{name}` placeholders of a text. */
export type MessageParameters = Readonly<Record<string, string | number>>;

/** Returns the text of a key, with its placeholders filled. It is plain text, never HTML. */
export function translate(key: MessageKey, parameters?: MessageParameters): string {
  return fillPlaceholders(en[key], parameters);
}

/** Replaces each `{name}` with the parameter of that name. */
export function fillPlaceholders(text: string, parameters: MessageParameters = {}): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(parameters[name] ?? ''));
}
