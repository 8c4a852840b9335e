import type { DesignTag, DesignTagList } from '@cloche/contract/tag';
import { useQuery } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import { useApi } from '../session/session-provider.tsx';

export const TAG_LIST_KEY = ['designs', 'tags'] as const;

const PAGE_SIZE = 200;
/** A longer list is no help to choose from. */
const MAX_PAGES = 5;

/** The tags of all designs that the token may read, also of those that are not loaded. */
export function useTags(): readonly DesignTag[] {
  const api = useApi();
  const { data = [] } = useQuery({
    queryKey: TAG_LIST_KEY,
    queryFn: ({ signal }) => readTags(api, signal),
    refetchOnWindowFocus: false,
  });
  return data;
}

async function readTags(api: ApiClient, signal: AbortSignal): Promise<DesignTag[]> {
  const tags: DesignTag[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(cursor && { cursor }) });
    const options = { accept: 'application/json', signal };
    const response = await api.request(`/v1/tags?${query}`, options);
    const { items, nextCursor }: DesignTagList = await response.json();
    tags.push(...items);
    cursor = nextCursor;
    if (cursor === null) break;
  }
  return tags;
}
