import type { UnreadableItem } from '@cloche/contract/pagination';
import type { CreatedToken, Token } from '@cloche/contract/token';
import type { TokenRecord, UnreadableToken } from './token.ts';
import type { TokenWithUsage } from './token-usage-store.ts';

/** Converts a token to its API representation, without its token string. */
export function toToken(token: TokenWithUsage): Token {
  return {
    ...toTokenFields(token),
    replacedBy: token.replacedBy ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    seenInBrowserAt: token.seenInBrowserAt?.toISOString() ?? null,
    usedFrom: token.usedFrom.map(({ origin, lastUsedAt }) => ({
      origin,
      lastUsedAt: lastUsedAt.toISOString(),
    })),
  };
}

/** Converts a new token to its API representation, with its token string. */
export function toCreatedToken(token: TokenRecord, tokenString: string): CreatedToken {
  return { ...toTokenFields(token), token: tokenString };
}

export function toUnreadableItem({ id, name, damage }: UnreadableToken): UnreadableItem {
  return { id, name, detail: `The token is damaged in the database: ${damage}.` };
}

function toTokenFields(token: TokenRecord) {
  return {
    id: token.id,
    capabilities: [...token.capabilities],
    origins: [...token.origins],
    type: 'api' as const,
    user: token.user,
    name: token.name,
    designs: token.designs === undefined ? null : [...token.designs],
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    issuedBy: token.issuedBy ?? null,
    replaces: token.replaces ?? null,
  };
}
