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
export const LEASE_MS = 30_000;

export function makeJob(revisionId: string): Job {
  return { id: randomUUID(), revisionId, attempts: 0 };
}

/** How long to wait before the next attempt: what failed by chance may need a moment. */
export function waitMs(attempts: number): number {
  return 1000 * 4 ** Math.min(attempts - 1, 4);
}
