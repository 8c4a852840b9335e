import type { PageCheck } from '@cloche/contract/page-check';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';

/** Checks a page, once for each URL until it is asked for again. */
export function usePageCheck(url: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['page-check', url],
    queryFn: () => api.getJson<PageCheck>('/v1/page-checks', { url }),
    enabled: url !== '',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
