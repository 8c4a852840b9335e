import type { DesignList } from '@cloche/contract/design';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';
import { type DesignListSearch, toQuery } from './design-search.ts';

export const DESIGN_LIST_KEY = ['designs', 'list'] as const;

const PAGE_SIZE = 100;
/** The URLs of posters expire after half an hour at the earliest. */
const REFETCH_INTERVAL_MS = 25 * 60_000;

/** The designs that match a search, page by page. Changes arrive by the event stream. */
export function useDesigns({ q = '', tag = '', sort = '' }: DesignListSearch) {
  const api = useApi();
  const search = { q, tag, sort };
  return useInfiniteQuery({
    queryKey: [...DESIGN_LIST_KEY, search],
    queryFn: async ({ pageParam, signal }): Promise<DesignList> => {
      const path = `/v1/designs?${toQuery(search, PAGE_SIZE, pageParam)}`;
      return (await api.request(path, { accept: 'application/json', signal })).json();
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
}
