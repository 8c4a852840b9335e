import type { Language } from '@cloche/contract/viewer-options';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en, type MessageKey } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { zh } from './zh.ts';

/** The texts of each language by key, for the build: a document and its scripts contain only one language. */
export const translations: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  pl,
  ja,
  zh,
  ko,
  ar,
};

/** Returns all texts of a language. Those that are not translated are English. */
export function getMessages(language: Language): Record<MessageKey, string> {
  const keys = Object.keys(en) as MessageKey[];
  return Object.fromEntries(
    keys.map((key) => [key, translations[language][key] ?? en[key]]),
  ) as Record<MessageKey, string>;
}
