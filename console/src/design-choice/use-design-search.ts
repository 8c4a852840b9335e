import type { Design, DesignList } from '@cloche/contract/design';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { useApi } from '../session/session-provider.tsx';
import { useDebounced } from '../ui/use-debounced.ts';

const PAGE_SIZE = 12;
/** While someone types, the search waits so long for the next letter. */
const SEARCH_DELAY_MS = 200;
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/** The designs with the text of a field, newest first, or the one with an id. `query` is the text that was searched for. */
export function useDesignSearch(text: string) {
  const api = useApi();
  const query = useDebounced(text.trim(), SEARCH_DELAY_MS);
  const search = useInfiniteQuery({
    queryKey: ['design-choice', 'search', query],
    queryFn: ({ pageParam, signal }) =>
      UUID.test(query) ? findById(api, query, signal) : findByText(api, query, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  return { ...search, query };
}

/** One design by its id, for its name. Null: it was deleted, or the session may not see it. */
export function useNamedDesign(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['design-choice', 'design', id],
    queryFn: ({ signal }) => readDesign(api, id, signal),
  });
}

type FoundDesigns = Pick<DesignList, 'items' | 'nextCursor'>;

async function findByText(
  api: ApiClient,
  text: string,
  cursor: string,
  signal: AbortSignal,
): Promise<FoundDesigns> {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
  if (text !== '') query.set('q', text);
  if (cursor !== '') query.set('cursor', cursor);
  return (await api.request(`/v1/designs?${query}`, { signal })).json();
}

async function findById(api: ApiClient, id: string, signal: AbortSignal): Promise<FoundDesigns> {
  const design = await readDesign(api, id, signal);
  return { items: design === null ? [] : [design], nextCursor: null };
}

async function readDesign(api: ApiClient, id: string, signal: AbortSignal): Promise<Design | null> {
  try {
    const response = await api.request(`/v1/designs/${encodeURIComponent(id)}`, { signal });
    return await response.json();
  } catch (error) {
    const status = error instanceof ApiError ? error.problem?.status : undefined;
    if (status === 403 || status === 404 || status === 410) return null;
    throw error;
  }
}
