import type { FastifyInstance } from 'fastify';
import type { Blobs } from './blobs/blobs.ts';
import { sweepBlobs } from './designs/sweep.ts';
import type { Uploads } from './designs/uploads.ts';
import type { Answers } from './http/idempotency.ts';
import type { Logger } from './http/log.ts';
import type { Tokens } from './tokens/tokens.ts';

type Given = {
  tokens: Tokens;
  uploads: Uploads;
  answers: Answers;
  blobs: Blobs;
  log: Logger;
  now: () => Date;
};

const FLUSH_MS = 5_000;
const SWEEP_MS = 60 * 60 * 1000;
/** The first time soon: a service that is restarted every hour would never sweep. */
const FIRST_SWEEP_MS = 60 * 1000;

/** What is done now and then, beside requests; all of it can be late or missed without harm. */
export function housekeeping(app: FastifyInstance, given: Given): void {
  const { tokens, uploads, answers, blobs, log, now } = given;
  const stopping = new AbortController();
  const flush = () => tokens.flush();
  // Apart from the sweep: on a full disk it fails, and the sweep is what makes room.
  const forget = () => answers.forgetOld(now());
  const sweep = async () => {
    const swept = await sweepBlobs(blobs, uploads, now(), stopping.signal);
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
    every(FLUSH_MS, flush),
    every(SWEEP_MS, forget),
    every(SWEEP_MS, sweep),
    once(FIRST_SWEEP_MS, sweep),
  ];
  app.addHook('onClose', async () => {
    for (const timer of timers) clearInterval(timer);
    stopping.abort();
    await Promise.all(running.values());
    await flush();
  });
}
