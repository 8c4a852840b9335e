import type { Design } from '@cloche/contract/design';
import type { EmbedSnippet } from '@cloche/contract/embed';
import type { PreviewLink } from '@cloche/contract/preview-link';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';

/** A preview link works for ten minutes. */
const LINK_REFRESH_MS = 9 * 60 * 1000;
const POLL_MS = 2000;

/** One design. It is read again until it has a model or has failed. */
export function useEmbeddedDesign(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['embed', 'design', id],
    queryFn: () => api.getJson<Design>(`/v1/designs/${encodeURIComponent(id)}`),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && ['queued', 'processing'].includes(data.status) ? POLL_MS : false,
  });
}

/** The code that the service returns for a design with options. */
export function useSnippet(uri: string, options: ViewerOptions) {
  const api = useApi();
  return useQuery({
    queryKey: ['embed', 'snippet', uri, options],
    queryFn: () => api.getJson<EmbedSnippet>('/embed/iframe/v1', { uri, options }),
    placeholderData: keepPreviousData,
  });
}

/** A link to the framed document of a design, which is renewed before it expires. */
export function useLiveViewLink(designId: string, revision: number | null) {
  const api = useApi();
  return useQuery({
    queryKey: ['embed', 'preview-link', designId, revision],
    queryFn: () => api.getJson<PreviewLink>(`/v1/designs/${designId}/preview-links`, {}),
    staleTime: LINK_REFRESH_MS,
    refetchInterval: LINK_REFRESH_MS,
    enabled: revision !== null,
  });
}
