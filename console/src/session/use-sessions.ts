import type { Session, SessionList } from '@cloche/contract/session';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from './session-provider.tsx';
import { announceSessionChange } from './use-session-watch.ts';

const REFRESH_MS = 15_000;
const QUERY_KEY = ['sessions'];

/** The signed-in browsers, newest first. */
export function useSessions() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ pageParam }) => {
      const cursor = pageParam === '' ? '' : `?cursor=${encodeURIComponent(pageParam)}`;
      return api.getJson<SessionList>(`/v1/sessions${cursor}`);
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: REFRESH_MS,
  });
}

/** Reads the pages of the list that are not loaded. Returns false if that failed; the query then has the error. */
export async function readOtherPages(query: ReturnType<typeof useSessions>): Promise<boolean> {
  let last: Pick<typeof query, 'hasNextPage' | 'isError'> = query;
  while (last.hasNextPage) {
    last = await query.fetchNextPage();
    if (last.isError) return false;
  }
  return true;
}

/** Returns a function that ends sessions. One that has already ended is no error. */
export function useEndSessions(): (sessions: readonly Session[]) => Promise<void> {
  const api = useApi();
  const queryClient = useQueryClient();
  return async (sessions) => {
    try {
      for (const { id } of sessions) await api.request(`/v1/sessions/${id}`, { method: 'DELETE' });
    } finally {
      announceSessionChange();
      await queryClient.invalidateQueries({ queryKey: QUERY_KEY });
    }
  };
}
