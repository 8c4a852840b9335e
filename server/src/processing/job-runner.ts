import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@cloche/contract/problem';
import type { FastifyBaseLogger } from 'fastify';
import { isTooManyOpenFiles } from '../disk/too-many-open-files.ts';
import { type Job, MAX_ATTEMPTS, RETRY_DELAY_MS } from './job.ts';
import type { JobStore } from './job-store.ts';
import { keepLease } from './keep-lease.ts';

/** Processes jobs. Both methods must delete the job's row when they succeed. */
export type JobHandler = {
  /** Runs one attempt. An attempt that throws has failed. */
  run(job: Job, signal: AbortSignal): Promise<void>;
  /** Called once after the last attempt has failed. `cause` is undefined if that attempt ended in a crash. */
  fail(job: Job, cause: unknown): Promise<void>;
};

export type JobRunnerOptions = {
  jobs: JobStore;
  handler: JobHandler;
  /** Maximum number of jobs that run at the same time. */
  concurrency: number;
  /** Delay before the first retry. Each further delay is four times as long. */
  retryDelayMs?: number | undefined;
  /** The clock of leases and retry delays: the same for all nodes that use the database. */
  now: () => Date | Promise<Date>;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
};

type RunningJob = { job: Job; abortController: AbortController; done: Promise<void> };

/** While the bucket or the database does not respond, jobs are retried after so many times the first delay. */
const OUTAGE_DELAY_FACTOR = 5;
/** Maximum time between two polls. `notify` and the next due time start a poll earlier. */
const POLL_INTERVAL_MS = 5_000;

/** Of so many users, the order in which they were served is known. Each is a term of the query. */
const MAX_RECENT_USERS = 50;

/** How long `stop` and `abort` wait for aborted jobs to end. */
const STOP_TIMEOUT_MS = 5_000;

/** Claims jobs from the store and runs them, several at a time. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #running = new Map<string, RunningJob>();
  /** The users whose jobs were claimed, the latest last. */
  readonly #recentUserIds = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #isFirstPoll = true;
  #stopped = true;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopped = false;
    this.notify();
  }

  /** Polls for jobs now instead of at the next interval. */
  notify(): void {
    if (this.#stopped) return;
    this.#pollAgain = true;
    this.#polling ??= this.#poll();
  }

  /**
   * Aborts the job of a revision that was cancelled or deleted. Resolves when its worker process has
   * ended and its files are deleted, or after 5 s.
   */
  async abort(revisionId: string): Promise<void> {
    const running = [...this.#running.values()].find(({ job }) => job.revisionId === revisionId);
    running?.abortController.abort();
    await Promise.race([running?.done, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** Stops claiming jobs, and aborts and releases the running jobs. Their attempt does not count. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
    const running = [...this.#running.values()];
    for (const { abortController } of running) abortController.abort();
    const allDone = Promise.all(running.map(({ done }) => done));
    // A job that does not end in time runs again after the next start, as after a crash.
    await Promise.race([allDone, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    let delayMs = POLL_INTERVAL_MS;
    try {
      if (this.#isFirstPoll) await this.#options.jobs.releaseOwn(await this.#options.now());
      this.#isFirstPoll = false;
      while (this.#pollAgain && !this.#stopped) {
        this.#pollAgain = false;
        await this.#claimAvailable();
        delayMs = await this.#getNextPollDelayMs();
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'polling for jobs failed');
    }
    // No `await` since the last check of #pollAgain: each later notify() starts a new poll.
    this.#polling = undefined;
    if (!this.#stopped) this.#timer = setTimeout(() => this.notify(), delayMs).unref();
  }

  async #claimAvailable(): Promise<void> {
    const { jobs, concurrency, now } = this.#options;
    while (this.#running.size < concurrency && !this.#stopped) {
      // Running jobs are excluded: their lease may have expired while this process was suspended.
      const excludedIds = [...this.#running.keys()];
      const recentUserIds = [...this.#recentUserIds];
      const claimedAtMs = performance.now();
      const job = await jobs.claim(await now(), { excludedIds, recentUserIds });
      if (job === undefined) return;
      this.#rememberUser(job.userId);
      const abortController = new AbortController();
      const done = this.#runJob(job, claimedAtMs, abortController).finally(() => {
        this.#running.delete(job.id);
        this.notify();
      });
      this.#running.set(job.id, { job, abortController, done });
    }
  }

  #rememberUser(userId: string): void {
    this.#recentUserIds.delete(userId);
    this.#recentUserIds.add(userId);
    const [oldest] = this.#recentUserIds;
    if (oldest !== undefined && this.#recentUserIds.size > MAX_RECENT_USERS)
      this.#recentUserIds.delete(oldest);
  }

  async #runJob(job: Job, claimedAtMs: number, controller: AbortController): Promise<void> {
    const { jobs, handler, now, log } = this.#options;
    const { signal } = controller;
    let isLost = false;
    const onLost = () => {
      log.warn({ job: job.id }, 'a job lost its lease: it ends here');
      isLost = true;
      controller.abort();
    };
    using _lease = keepLease(job, { jobs, now, claimedAtMs, onLost, log });
    try {
      if (job.attempts > MAX_ATTEMPTS) await handler.fail(job, undefined);
      else await handler.run(job, signal);
    } catch (error) {
      const released = isLost ? this.#releaseLost(job) : this.#handleFailure(job, error, signal);
      await released.catch((err) => log.error({ err, job: job.id }, 'releasing a job failed'));
    }
  }

  /** The job is not the cause. If another runner has it, nothing is released. */
  async #releaseLost(job: Job): Promise<void> {
    const { jobs, now } = this.#options;
    await jobs.release(job, await now(), { countAttempt: false });
  }

  async #handleFailure(job: Job, error: unknown, signal: AbortSignal): Promise<void> {
    const { jobs, handler, retryDelayMs = RETRY_DELAY_MS, now, log } = this.#options;
    if (this.#stopped) return jobs.release(job, await now(), { countAttempt: false });
    // The row of an aborted job was deleted with its revision, or when that was cancelled, or another runner has it.
    if (signal.aborted) return;
    log.warn({ err: error, job: job.id, attempt: job.attempts }, 'a processing attempt failed');
    // The job is not the cause.
    if (isTooManyOpenFiles(error))
      return jobs.release(job, await now(), { countAttempt: false, retryDelayMs });
    if (error instanceof Problem && error.code === 'server.unavailable')
      return jobs.release(job, await now(), {
        countAttempt: false,
        retryDelayMs: OUTAGE_DELAY_FACTOR * retryDelayMs,
      });
    if (job.attempts >= MAX_ATTEMPTS) await handler.fail(job, error);
    else await jobs.release(job, await now(), { retryDelayMs });
  }

  async #getNextPollDelayMs(): Promise<number> {
    const { jobs, concurrency, now } = this.#options;
    // At full capacity, the next job that ends polls again.
    if (this.#running.size >= concurrency) return POLL_INTERVAL_MS;
    const dueAt = await jobs.findNextDueAt([...this.#running.keys()]);
    if (dueAt === undefined) return POLL_INTERVAL_MS;
    return Math.min(Math.max(dueAt.getTime() - (await now()).getTime(), 5), POLL_INTERVAL_MS);
  }
}
