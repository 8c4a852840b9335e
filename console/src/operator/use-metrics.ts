import type { MetricHistory } from '@cloche/contract/metric-history';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';

const REFRESH_MS = 60_000;

/** The samples of the last 24 hours: the sum of all nodes, or each node for itself. */
export function useMetrics(nodes: 'sum' | 'each') {
  const api = useApi();
  return useQuery({
    queryKey: ['operator', 'metrics', nodes],
    queryFn: () => api.getJson<MetricHistory>(`/v1/metrics?nodes=${nodes}`),
    refetchInterval: REFRESH_MS,
    placeholderData: (previous) => previous,
  });
}
