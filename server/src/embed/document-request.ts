import type { Language } from '@cloche/contract/viewer-options';
import type { FastifyRequest } from 'fastify';
import { negotiateLanguage } from '../http/choose-language.ts';
import { parseQueryOptions, type RequestedOptions } from './query-options.ts';

/** What the request for a framed document chooses of it. */
export type DocumentRequest = RequestedOptions & {
  /** The language of the visitor. The option `lang` takes precedence. */
  language: Language;
};

/** @param credential the parameter of the URL that is not an option, if it has one */
export function parseDocumentRequest(
  { query, headers }: FastifyRequest,
  credential?: 'token' | 'link',
): DocumentRequest {
  const parameters = Object.entries(query ?? {}).filter(([name]) => name !== credential);
  return {
    ...parseQueryOptions(Object.fromEntries(parameters)),
    language: negotiateLanguage(headers['accept-language']),
  };
}

/** Reads the token in the URL of a framed document. Empty if there is none. */
export function readTokenString({ query }: FastifyRequest): string {
  const { token } = (query ?? {}) as Record<string, unknown>;
  return typeof token === 'string' ? token : '';
}
