import type { Design, Revision, RevisionList, UpdateDesignRequest } from '@cloche/contract/design';
import type { PreviewLink } from '@cloche/contract/preview-link';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';

const BUSY_REFETCH_MS = 15_000;
/** A link is used once, and renewed only when the view needs it: that loads the view again. */
const LINK_OPTIONS = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 };

/** A design, and the version that a change is for. */
export type VersionedDesign = { design: Design; etag: string };

const toPath = (id: string) => `/v1/designs/${encodeURIComponent(id)}`;
const isBusy = ({ status }: Design) => status === 'queued' || status === 'processing';

/** A design. Changes arrive by the event stream of all designs, which also sends its progress. */
export function useDesign(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['design', id],
    queryFn: async (): Promise<VersionedDesign> => {
      const response = await api.request(toPath(id));
      return { design: await response.json(), etag: response.headers.get('etag') ?? '' };
    },
    // The end of processing is also seen if the stream cannot be opened.
    refetchInterval: ({ state }) =>
      state.data && isBusy(state.data.design) ? BUSY_REFETCH_MS : false,
  });
}

/** Returns a function that reads a design and its revisions again. */
export function useReloadDesign(id: string): () => Promise<void> {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: ['design', id] });
}

/** Returns a function that changes fields of a design, and returns it. With the version of a design, it fails if that has changed. */
export function useUpdateDesign(id: string) {
  const api = useApi();
  const cache = useQueryClient();
  return async (changes: UpdateDesignRequest, ifMatch?: string): Promise<VersionedDesign> => {
    const options = { method: 'PATCH', json: changes, ...(ifMatch && { ifMatch }) };
    const response = await api.request(toPath(id), options);
    const design: Design = await response.json();
    const updated = { design, etag: response.headers.get('etag') ?? '' };
    cache.setQueryData<VersionedDesign>(['design', id], updated);
    await cache.invalidateQueries({ queryKey: ['design', id, 'revisions'] });
    await cache.invalidateQueries({ queryKey: ['designs'] });
    return updated;
  };
}

/** The revisions of a design, newest first. They are read again when the design changes its state. */
export function useRevisions({ id, status, revision }: Design) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['design', id, 'revisions', status, revision],
    queryFn: ({ pageParam }) =>
      api.getJson<RevisionList>(
        `${toPath(id)}/revisions?limit=20${pageParam === '' ? '' : `&cursor=${pageParam}`}`,
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** A link to the framed document of a design. */
export function useDesignPreview(id: string, revision: number | null, canShow: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['design-preview', id, revision, canShow],
    queryFn: () => api.getJson<PreviewLink>(`${toPath(id)}/preview-links`, {}),
    ...LINK_OPTIONS,
    enabled: canShow,
  });
}

/** Creates a link for other people. */
export function useCreatePreviewLink(id: string) {
  const api = useApi();
  return useMutation({
    mutationFn: () => api.getJson<PreviewLink>(`${toPath(id)}/preview-links`, {}),
    gcTime: 0,
  });
}

/** A link to the framed document of one revision. */
export function useRevisionPreview(id: string, revision: number) {
  const api = useApi();
  return useQuery({
    queryKey: ['design-preview', id, 'revision', revision],
    queryFn: () => api.getJson<PreviewLink>(`${toPath(id)}/preview-links`, { revision }),
    ...LINK_OPTIONS,
  });
}

/** Whether the newest file of a design was not processed to its end, and another one is asked for. */
export function needsNewFile({ status }: Design): boolean {
  return status === 'failed' || status === 'cancelled';
}

/** Lists the revisions that can be compared with the shown one. */
export function listComparableRevisions(
  revisions: { pages: readonly RevisionList[] } | undefined,
): Revision[] {
  const items = revisions?.pages.flatMap((page) => page.items) ?? [];
  return items.filter(({ status, shown }) => status === 'ready' && !shown);
}
