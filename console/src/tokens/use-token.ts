import type { Token, UpdateTokenRequest } from '@cloche/contract/token';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { isPreconditionFailed } from '../api/api-error.ts';
import { useApi } from '../session/session-provider.tsx';

const REFRESH_MS = 10_000;

/** A token, and its version for changes. */
export type VersionedToken = { token: Token; etag: string };

/** One token. `lastUsedAt` is kept up to date. */
export function useToken(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['tokens', 'token', id],
    queryFn: async (): Promise<VersionedToken> => {
      const response = await api.request(`/v1/tokens/${encodeURIComponent(id)}`);
      return { token: await response.json(), etag: response.headers.get('etag') ?? '' };
    },
    refetchInterval: ({ state }) => (state.status === 'error' ? false : REFRESH_MS),
  });
}

/** Changes a token, if nobody has changed it since it was read. Returns false if someone has. */
export function useUpdateToken() {
  const api = useApi();
  const queryClient = useQueryClient();
  return async (id: string, etag: string, json: UpdateTokenRequest): Promise<boolean> => {
    try {
      await api.request(`/v1/tokens/${id}`, { method: 'PATCH', json, ifMatch: etag });
      return true;
    } catch (error) {
      if (!isPreconditionFailed(error)) throw error;
      return false;
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['tokens'] });
    }
  };
}
