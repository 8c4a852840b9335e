import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { type Job, LEASE_DURATION_MS, MAX_ATTEMPTS, RETRY_DELAY_MS } from './job.ts';
import type { JobStore } from './job-store.ts';

/** Does a job to its end and removes it. What it throws is an attempt that failed. */
export type JobHandler = {
  run(job: Job, signal: AbortSignal): Promise<void>;
  /** The last attempt failed. */
  fail(job: Job, cause: unknown): Promise<void>;
};

type JobRunnerOptions = {
  jobs: JobStore;
  handler: JobHandler;
  /** So many jobs run at once. */
  concurrency: number;
  /** What breaks off is begun again after so long. */
  retryDelayMs?: number | undefined;
  now: () => Date;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
};

/** Whoever is not woken looks for work so often: another node may have left some. */
const POLL_INTERVAL_MS = 5_000;

/** How long jobs may take to end when they are told to. */
const STOP_TIMEOUT_MS = 5_000;

/** Takes jobs off the shelf, a few at a time, and sees to it that each is ended. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #running = new Map<string, { job: Job; abort: AbortController; done: Promise<void> }>();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #isFirstPoll = true;
  #stopped = true;

  constructor(given: JobRunnerOptions) {
    this.#options = given;
  }

  start(): void {
    this.#stopped = false;
    this.notify();
  }

  /** There may be work: looks for it now. */
  notify(): void {
    if (this.#stopped) return;
    this.#pollAgain = true;
    this.#polling ??= this.#poll();
  }

  /** Stops work on a revision that nobody wants any more. */
  abort(revisionId: string): void {
    for (const { job, abort } of this.#running.values()) {
      if (job.revisionId === revisionId) abort.abort();
    }
  }

  /** Takes nothing new, and gives back what is under way, as if it had never been begun. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
    for (const { abort } of this.#running.values()) abort.abort();
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    // What does not end is begun again after the next start, as after a crash.
    await Promise.race([all, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    let wait = POLL_INTERVAL_MS;
    try {
      // This process is alone with its database: whoever held a lease is gone.
      if (this.#isFirstPoll) await this.#options.jobs.releaseAll(this.#options.now());
      this.#isFirstPoll = false;
      while (this.#pollAgain && !this.#stopped) {
        this.#pollAgain = false;
        await this.#claimAvailable();
        wait = await this.#getNextPollDelayMs();
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'looking for jobs failed');
    }
    // Nothing is awaited since the last look at `again`: who wakes us from now on starts a new one.
    this.#polling = undefined;
    if (!this.#stopped) this.#timer = setTimeout(() => this.notify(), wait).unref();
  }

  async #claimAvailable(): Promise<void> {
    const { jobs, concurrency, now } = this.#options;
    while (this.#running.size < concurrency && !this.#stopped) {
      // Those that run here may have a lease that ran out while this process stood still.
      const job = await jobs.claim(now(), [...this.#running.keys()]);
      if (job === undefined) return;
      const abort = new AbortController();
      const done = this.#runJob(job, abort.signal).finally(() => {
        this.#running.delete(job.id);
        this.notify();
      });
      this.#running.set(job.id, { job, abort, done });
    }
  }

  async #runJob(job: Job, signal: AbortSignal): Promise<void> {
    const { jobs, handler, now, log } = this.#options;
    const renew = () => {
      jobs.renewLease(job, now()).catch((err) => log.warn({ err }, 'a lease was not renewed'));
    };
    const beat = setInterval(renew, LEASE_DURATION_MS / 3).unref();
    try {
      if (job.attempts > MAX_ATTEMPTS) await handler.fail(job, undefined);
      else await handler.run(job, signal);
    } catch (error) {
      await this.#handleFailure(job, error).catch((err) =>
        log.error({ err, job: job.id }, 'a job could not be given back'),
      );
    } finally {
      clearInterval(beat);
    }
  }

  async #handleFailure(job: Job, error: unknown): Promise<void> {
    const { jobs, handler, retryDelayMs = RETRY_DELAY_MS, now, log } = this.#options;
    if (this.#stopped) return jobs.release(job, now(), { countless: true });
    log.warn({ err: error, job: job.id, attempt: job.attempts }, 'an attempt at a job failed');
    if (job.attempts >= MAX_ATTEMPTS) await handler.fail(job, error);
    else await jobs.release(job, now(), { retryMs: retryDelayMs });
  }

  async #getNextPollDelayMs(): Promise<number> {
    const { jobs, concurrency, now } = this.#options;
    // There is no place for what is due; a job that ends wakes us.
    if (this.#running.size >= concurrency) return POLL_INTERVAL_MS;
    const due = await jobs.findNextDueAt();
    if (due === undefined) return POLL_INTERVAL_MS;
    return Math.min(Math.max(due.getTime() - now().getTime(), 5), POLL_INTERVAL_MS);
  }
}
