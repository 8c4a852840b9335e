import type { JobState } from '@cloche/contract/processing-job';

/** The lists of jobs. */
export const JOB_LISTS = ['waiting', 'running', 'failed'] as const satisfies readonly JobState[];

/** Reads the state in the query of the page. By default the jobs that are waiting. */
export function parseJobState(value: unknown): JobState {
  return JOB_LISTS.find((state) => state === value) ?? 'waiting';
}
