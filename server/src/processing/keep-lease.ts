import type { FastifyBaseLogger } from 'fastify';
import { type Job, LEASE_DURATION_MS } from './job.ts';
import type { JobStore } from './job-store.ts';

export type KeepLeaseOptions = {
  jobs: Pick<JobStore, 'renewLease'>;
  /** The clock of leases. */
  now: () => Date | Promise<Date>;
  /** When the job was claimed, by `performance.now()`. */
  claimedAtMs: number;
  /** Called when another runner may have the job, or the job was removed: it must not go on. */
  onLost: () => void;
  log: Pick<FastifyBaseLogger, 'warn'>;
};

/** A job ends so long before its lease, to be over when another runner claims it. */
const MARGIN_MS = 2_000;
/** Time for the last renewal, within the margin. */
const LAST_RENEWAL_MS = 1_500;

/** Renews the lease of a running job until the result is disposed. */
export function keepLease(
  job: Job,
  { jobs, now, claimedAtMs, onLost, log }: KeepLeaseOptions,
): Disposable {
  let isEnded = false;
  const end = () => {
    isEnded = true;
    clearInterval(timer);
    clearTimeout(expiryTimer);
  };
  const lose = () => {
    if (isEnded) return;
    end();
    onLost();
  };
  const renew = async () => {
    const startMs = performance.now();
    const isKept = await jobs.renewLease(job, await now());
    if (isEnded) return;
    if (!isKept) return lose();
    clearTimeout(expiryTimer);
    expiryTimer = expireAfter(startMs);
  };
  // A process that was paused still has its lease, unless another runner has claimed the job.
  const renewOrLose = () => {
    expiryTimer = setTimeout(lose, LAST_RENEWAL_MS).unref();
    renew().catch(lose);
  };
  const expireAfter = (startMs: number) =>
    setTimeout(renewOrLose, startMs + LEASE_DURATION_MS - MARGIN_MS - performance.now()).unref();
  let expiryTimer = expireAfter(claimedAtMs);
  const timer = setInterval(() => {
    renew().catch((err) => log.warn({ err }, 'renewing a lease failed'));
  }, LEASE_DURATION_MS / 3).unref();
  return { [Symbol.dispose]: end };
}
