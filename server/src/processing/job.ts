import { randomUUID } from 'node:crypto';

/** A revision to be processed. */
export type Job = {
  id: string;
  revisionId: string;
  /** Number of attempts, including the current one. */
  attempts: number;
};

/** Maximum number of attempts. An attempt that ended in a crash or a power cut counts. */
export const MAX_ATTEMPTS = 3;

/** Lease duration. The runner renews the lease; once it expires, another runner may claim the job. */
export const LEASE_DURATION_MS = 30_000;

/** Creates a job for a revision, with no attempts yet. */
export function createJob(revisionId: string): Job {
  return { id: randomUUID(), revisionId, attempts: 0 };
}

/** Delay before the first retry. Each further delay is four times as long. */
export const RETRY_DELAY_MS = 1000;

/** Returns the delay before the next attempt, given the number of attempts so far. */
export function getRetryDelayMs(attempts: number, firstDelayMs: number): number {
  return firstDelayMs * 4 ** Math.min(attempts - 1, 4);
}
