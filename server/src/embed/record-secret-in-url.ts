import { findRefererOrigin } from '@cloche/contract/origin';
import type { FastifyRequest } from 'fastify';
import { recordSecretInBrowser } from '../tokens/record-secret-in-browser.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { findTokenKind } from '../tokens/token-string.ts';

/**
 * Records a secret token in the URL of an embed, where everyone who sees the page can read it. The gate
 * then refuses the request, without looking up the token.
 */
export async function recordSecretInUrl(
  tokenString: unknown,
  { headers, log }: FastifyRequest,
  tokens: TokenStore,
  now: Date,
): Promise<void> {
  if (typeof tokenString !== 'string' || findTokenKind(tokenString) !== 'secret') return;
  const token = await tokens.findByTokenString(tokenString);
  if (token === undefined || token.revokedAt !== undefined) return;
  const origin = findRefererOrigin(headers.referer ?? headers.origin ?? '');
  recordSecretInBrowser(token, { tokens, log, now, origin });
}
