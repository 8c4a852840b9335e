import type { FastifyBaseLogger } from 'fastify';
import type { TokenRecord } from './token.ts';
import type { TokenStore } from './token-store.ts';

type SecretUse = {
  tokens: TokenStore;
  log: Pick<FastifyBaseLogger, 'warn'>;
  now: Date;
  /** The page, if it is known. */
  origin: string | undefined;
};

/** Records and logs that a browser sent a secret token, so that its owner replaces it. */
export function recordSecretInBrowser(
  token: TokenRecord,
  { tokens, log, now, origin }: SecretUse,
): void {
  tokens.usage.recordBrowserUse(token.id, now);
  log.warn({ tokenId: token.id, origin }, 'a secret token was used in a browser');
}
