import type { FastifyInstance } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import { deleteUnreferencedBlobs } from '../designs/delete-unreferenced-blobs.ts';
import type { RevisionStore } from '../designs/revision-store.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { Logger } from '../http/logger.ts';
import type { TokenStore } from '../tokens/token-store.ts';

type MaintenanceOptions = {
  tokens: TokenStore;
  revisions: RevisionStore;
  idempotency: IdempotencyStore;
  blobs: BlobStore;
  log: Logger;
  now: () => Date;
};

const FLUSH_INTERVAL_MS = 5_000;
const CLEANUP_INTERVAL_MS = 60 * 60 * 1000;
/** The first time soon: a service that is restarted every hour would never sweep. */
const FIRST_CLEANUP_DELAY_MS = 60 * 1000;

/** What is done now and then, beside requests; all of it can be late or missed without harm. */
export function scheduleMaintenance(app: FastifyInstance, given: MaintenanceOptions): void {
  const { tokens, revisions, idempotency, blobs, log, now } = given;
  const stopping = new AbortController();
  const flush = () => tokens.flushUsage();
  // Apart from the sweep: on a full disk it fails, and the sweep is what makes room.
  const forget = () => idempotency.deleteExpired(now());
  const sweep = async () => {
    const swept = await deleteUnreferencedBlobs(blobs, revisions, now(), stopping.signal);
    if (swept > 0) log.info({ swept }, 'removed files that no design has');
  };
  const running = new Map<() => Promise<void>, Promise<void>>();
  const run = (job: () => Promise<void>) => {
    const fail = (error: unknown) => log.error({ err: error }, 'housekeeping failed');
    running.set(job, job().catch(fail));
  };
  const every = (ms: number, job: () => Promise<void>) => setInterval(() => run(job), ms).unref();
  const once = (ms: number, job: () => Promise<void>) => setTimeout(() => run(job), ms).unref();

  const timers = [
    every(FLUSH_INTERVAL_MS, flush),
    every(CLEANUP_INTERVAL_MS, forget),
    every(CLEANUP_INTERVAL_MS, sweep),
    once(FIRST_CLEANUP_DELAY_MS, sweep),
  ];
  app.addHook('onClose', async () => {
    for (const timer of timers) clearInterval(timer);
    stopping.abort();
    await Promise.all(running.values());
    await flush();
  });
}
