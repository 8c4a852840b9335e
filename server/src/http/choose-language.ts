import { LANGUAGES, type Language } from '@cloche/contract/viewer-options';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** The headers of a page in one language. `Vary`, because the request decides which. */
export function createLanguageHeaders(language: Language): Record<string, string> {
  return { 'content-language': language, vary: 'accept-language' };
}

/**
 * Chooses the language of a page: the parameter `lang` of its URL, else the first of `Accept-Language` that we
 * have, else English. A region does not matter: `de-AT` is `de`. Chinese is written in simplified characters.
 */
export function chooseLanguage({ query, headers }: FastifyRequest): Language {
  const { lang } = (query ?? {}) as Record<string, unknown>;
  return findLanguage(lang) ?? negotiateLanguage(headers['accept-language']);
}

/** Returns the language of an option, if we have it. Upper and lower case are the same in language tags. */
function findLanguage(tag: unknown): Language | undefined {
  if (typeof tag !== 'string') return undefined;
  const [primary] = tag.toLowerCase().split('-');
  return LANGUAGES.find((language) => language === primary);
}

/** Chooses by `Accept-Language`. English if it is absent or malformed, or if it accepts none of ours. */
export function negotiateLanguage(header: string | undefined): Language {
  if (header === undefined) return 'en';
  // Browsers send the preferred language first, without a weight. Parsing the header in full takes as long as
  // the rest of a request. It would also prefer `en` in `de-AT,en`, where both have the same weight.
  const [, first] = /^\s*([a-z]{2,8}(?:-[a-z\d-]+)?)\s*(?:,|$)/i.exec(header) ?? [];
  const preferred = findLanguage(first);
  if (preferred !== undefined) return preferred;
  const negotiator = new Negotiator({ headers: { 'accept-language': header } });
  return (negotiator.language([...LANGUAGES]) as Language | undefined) ?? 'en';
}
