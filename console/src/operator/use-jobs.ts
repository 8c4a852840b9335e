import type { JobState, ProcessingJob, ProcessingJobList } from '@cloche/contract/processing-job';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';

const JOBS_KEY = ['operator', 'jobs'];
const LIST_REFRESH_MS = 3000;
const COUNTS_REFRESH_MS = 10_000;

/** The jobs in a state, in pages. They are read again every few seconds. */
export function useJobs(state: JobState) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...JOBS_KEY, state],
    queryFn: ({ pageParam }) => {
      const cursor = pageParam === '' ? '' : `&cursor=${encodeURIComponent(pageParam)}`;
      return api.getJson<ProcessingJobList>(`/v1/jobs?state=${state}${cursor}`);
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: LIST_REFRESH_MS,
  });
}

/** The number of jobs in each state. */
export function useJobCounts() {
  const api = useApi();
  return useQuery({
    queryKey: [...JOBS_KEY, 'counts'],
    queryFn: async () => (await api.getJson<ProcessingJobList>('/v1/jobs?limit=1')).counts,
    refetchInterval: COUNTS_REFRESH_MS,
  });
}

/** Queues a failed job again, or cancels one. */
export function useChangeJob(action: 'retry' | 'cancel') {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Pick<ProcessingJob, 'id'>) =>
      action === 'retry'
        ? api.getJson<ProcessingJob>(`/v1/jobs/${id}/retry`, undefined, 'POST')
        : api.getJson<ProcessingJob>(`/v1/jobs/${id}/cancel`, undefined, 'POST'),
    // Also after an error: the job may have ended in the meantime.
    onSettled: () => queryClient.invalidateQueries({ queryKey: JOBS_KEY }),
  });
}
