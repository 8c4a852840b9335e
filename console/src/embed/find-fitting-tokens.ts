import { matchesOrigin } from '@cloche/contract/origin';
import type { Token } from '@cloche/contract/token';
import { isPublicToken } from '../tokens/token-state.ts';

/** Finds the public tokens with which these pages can show a design. */
export function findFittingTokens(
  tokens: readonly Token[],
  { origins, designId, now }: { origins: readonly string[]; designId: string; now: Date },
): Token[] {
  return tokens.filter(
    (token) =>
      isPublicToken(token) &&
      token.replacedBy === null &&
      (token.expiresAt === null || new Date(token.expiresAt) > now) &&
      (token.designs === null || token.designs.includes(designId)) &&
      findMissingOrigins(token.origins, origins).length === 0,
  );
}

/** Returns the origins that a token does not list. A wildcard is only in a list that has the same one. */
export function findMissingOrigins(
  listed: readonly string[],
  origins: readonly string[],
): string[] {
  return origins.filter(
    (origin) => !listed.some((entry) => entry === origin || matchesOrigin(entry, origin)),
  );
}
