import type { Token } from '@cloche/contract/token';
import { isPublicToken } from './token-state.ts';

export type TokenSearch = {
  /** A part of the name, the id or an origin. */
  text: string;
  kind: '' | 'public' | 'secret';
};

/** Finds the tokens that match, in their order. */
export function findTokens(tokens: readonly Token[], { text, kind }: TokenSearch): Token[] {
  const searched = text.trim().toLowerCase();
  return tokens.filter((token) => {
    if (kind !== '' && isPublicToken(token) !== (kind === 'public')) return false;
    return [token.name, token.id, ...token.origins].some((value) =>
      value.toLowerCase().includes(searched),
    );
  });
}
