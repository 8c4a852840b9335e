import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { type Job, LEASE_MS, MAX_ATTEMPTS, RETRY_MS } from './job.ts';
import type { Jobs } from './jobs.ts';

/** Does a job to its end and removes it. What it throws is an attempt that failed. */
export type Work = {
  run(job: Job, signal: AbortSignal): Promise<void>;
  /** The last attempt failed. */
  giveUp(job: Job, cause: unknown): Promise<void>;
};

type Given = {
  jobs: Jobs;
  work: Work;
  /** So many jobs run at once. */
  concurrency: number;
  /** What breaks off is begun again after so long. */
  retryMs?: number | undefined;
  now: () => Date;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
};

/** Whoever is not woken looks for work so often: another node may have left some. */
const LOOK_MS = 5_000;

/** How long jobs may take to end when they are told to. */
const STOP_MS = 5_000;

/** Takes jobs off the shelf, a few at a time, and sees to it that each is ended. */
export class Runner {
  readonly #given: Given;
  readonly #running = new Map<string, { job: Job; abort: AbortController; done: Promise<void> }>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #isFirstLook = true;
  #stopped = true;

  constructor(given: Given) {
    this.#given = given;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  /** There may be work: looks for it now. */
  wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#looking ??= this.#look();
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
    await this.#looking;
    for (const { abort } of this.#running.values()) abort.abort();
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    // What does not end is begun again after the next start, as after a crash.
    await Promise.race([all, sleep(STOP_MS, undefined, { ref: false })]);
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    let wait = LOOK_MS;
    try {
      // This process is alone with its database: whoever held a lease is gone.
      if (this.#isFirstLook) await this.#given.jobs.freeAll(this.#given.now());
      this.#isFirstLook = false;
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#takeAll();
        wait = await this.#untilDue();
      }
    } catch (error) {
      this.#given.log.error({ err: error }, 'looking for jobs failed');
    }
    // Nothing is awaited since the last look at `again`: who wakes us from now on starts a new one.
    this.#looking = undefined;
    if (!this.#stopped) this.#timer = setTimeout(() => this.wake(), wait).unref();
  }

  async #takeAll(): Promise<void> {
    const { jobs, concurrency, now } = this.#given;
    while (this.#running.size < concurrency && !this.#stopped) {
      // Those that run here may have a lease that ran out while this process stood still.
      const job = await jobs.claim(now(), [...this.#running.keys()]);
      if (job === undefined) return;
      const abort = new AbortController();
      const done = this.#run(job, abort.signal).finally(() => {
        this.#running.delete(job.id);
        this.wake();
      });
      this.#running.set(job.id, { job, abort, done });
    }
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const { jobs, work, now, log } = this.#given;
    const renew = () => {
      jobs.renew(job, now()).catch((err) => log.warn({ err }, 'a lease was not renewed'));
    };
    const beat = setInterval(renew, LEASE_MS / 3).unref();
    try {
      if (job.attempts > MAX_ATTEMPTS) await work.giveUp(job, undefined);
      else await work.run(job, signal);
    } catch (error) {
      await this.#afterFailure(job, error).catch((err) =>
        log.error({ err, job: job.id }, 'a job could not be given back'),
      );
    } finally {
      clearInterval(beat);
    }
  }

  async #afterFailure(job: Job, error: unknown): Promise<void> {
    const { jobs, work, retryMs = RETRY_MS, now, log } = this.#given;
    if (this.#stopped) return jobs.giveBack(job, now(), { countless: true });
    log.warn({ err: error, job: job.id, attempt: job.attempts }, 'an attempt at a job failed');
    if (job.attempts >= MAX_ATTEMPTS) await work.giveUp(job, error);
    else await jobs.giveBack(job, now(), { retryMs });
  }

  async #untilDue(): Promise<number> {
    const { jobs, concurrency, now } = this.#given;
    // There is no place for what is due; a job that ends wakes us.
    if (this.#running.size >= concurrency) return LOOK_MS;
    const due = await jobs.nextDue();
    if (due === undefined) return LOOK_MS;
    return Math.min(Math.max(due.getTime() - now().getTime(), 5), LOOK_MS);
  }
}
