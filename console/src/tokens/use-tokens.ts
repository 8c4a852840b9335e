import type { Token, TokenList } from '@cloche/contract/token';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ApiClient } from '../api/api-client.ts';
import { useApi } from '../session/session-provider.tsx';

const PAGE_SIZE = 200;

type AllTokens = Pick<TokenList, 'items' | 'unreadable'>;

/** All tokens that the session may manage, newest first. They have no token strings. */
export function useTokens() {
  const api = useApi();
  return useQuery({ queryKey: ['tokens', 'list'], queryFn: () => readTokens(api, {}) });
}

/** The tokens that a token has created, directly and indirectly, and that are not revoked. */
export function useDescendants(ancestor: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['tokens', 'descendants', ancestor],
    queryFn: async (): Promise<Token[]> => (await readTokens(api, { ancestor })).items,
  });
}

/** Returns a function that reads all tokens again. */
export function useInvalidateTokens(): () => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(() => queryClient.invalidateQueries({ queryKey: ['tokens'] }), [queryClient]);
}

/** Reads all pages of the list of tokens. */
async function readTokens(api: ApiClient, filter: Record<string, string>): Promise<AllTokens> {
  const query = new URLSearchParams({ ...filter, limit: String(PAGE_SIZE) });
  const tokens: AllTokens = { items: [], unreadable: [] };
  for (;;) {
    const page = await api.getJson<TokenList>(`/v1/tokens?${query}`);
    tokens.items.push(...page.items);
    tokens.unreadable.push(...page.unreadable);
    if (page.nextCursor === null) return tokens;
    query.set('cursor', page.nextCursor);
  }
}
