import { randomUUID } from 'node:crypto';

/** An upload that is to be processed. */
export type Job = {
  id: string;
  /** The revision that the upload is to become. */
  revisionId: string;
  /** How often it was begun, this time included. */
  attempts: number;
};

/** A job is begun so often; a crash or a power cut ends an attempt too. */
export const MAX_ATTEMPTS = 3;

/** Whoever runs a job renews its lease in this time, or another takes the job. */
export const LEASE_DURATION_MS = 30_000;

export function createJob(revisionId: string): Job {
  return { id: randomUUID(), revisionId, attempts: 0 };
}

/** How long to wait before the next attempt, at first and then four times as long. */
export const RETRY_DELAY_MS = 1000;

export function getRetryDelayMs(attempts: number, firstMs: number): number {
  return firstMs * 4 ** Math.min(attempts - 1, 4);
}
