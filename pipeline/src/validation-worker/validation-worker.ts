import { open } from 'node:fs/promises';
import { Problem } from '@cloche/contract/problem';
import type { ValidationResult } from '../formats/validate-model.ts';
import { ValidationQueue } from './validation-queue.ts';
import { closedError, ValidationThread, type ValidationThreadLimits } from './validation-thread.ts';

/** Validates files in threads. */
export type ValidationWorker = AsyncDisposable & {
  /** @throws {Problem} as validateModel; also design.too-complex: too much time or memory; server.busy */
  validate(path: string, purpose: ValidationPurpose): Promise<ValidationResult>;
};

/** Why a file is validated: a user has uploaded it, or a job has made it. */
export type ValidationPurpose = { kind: 'upload'; userId: string } | { kind: 'artifact' };

/** Each lane has a thread of its own, so that its files do not wait for those of the others. */
type LaneName = 'small' | 'large' | 'artifact';

/** Limits of the threads and of their queues. */
export type ValidationWorkerLimits = ValidationThreadLimits & {
  /** Files of one user that wait. Each is a request that waits for its response. */
  maxWaitingPerUser: number;
};

const DEFAULT_LIMITS: ValidationWorkerLimits = {
  heapMb: 1024,
  timeoutMs: 120_000,
  maxWaitingPerUser: 32,
};

/** A file of this size takes about 0.1 seconds. */
const MAX_SMALL_BYTES = 1024 * 1024;
/** An archive may have 200 times as many uncompressed bytes. */
const MAX_SMALL_ARCHIVE_BYTES = 16 * 1024;
const ZIP_SIGNATURE = 'PK';

type Task = { path: string; resolve(result: Promise<ValidationResult>): void };

/** Opens the threads. Each starts with its first file. */
export function openValidationWorker(
  options: Partial<ValidationWorkerLimits> = {},
): ValidationWorker {
  const limits = { ...DEFAULT_LIMITS, ...options };
  const lanes = new Map<LaneName, ValidationLane>();
  let isClosed = false;

  return {
    async validate(path, purpose) {
      const { sizeBytes, isArchive } = await readFileSummary(path);
      if (isClosed) throw closedError();
      const name = purpose.kind === 'artifact' ? 'artifact' : chooseLane(sizeBytes, isArchive);
      const lane = lanes.get(name) ?? new ValidationLane(limits);
      lanes.set(name, lane);
      const userId = purpose.kind === 'artifact' ? '' : purpose.userId;
      if (purpose.kind === 'upload') assertFewWaiting(lane.countOfUser(userId), limits);
      return lane.validate(path, sizeBytes, userId);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all(lanes.values().map((lane) => lane[Symbol.asyncDispose]()));
    },
  };
}

/** One thread and the files that wait for it. */
class ValidationLane implements AsyncDisposable {
  readonly #thread: ValidationThread;
  readonly #queue = new ValidationQueue<Task>();
  #running: Promise<void> | undefined;

  constructor(limits: ValidationThreadLimits) {
    this.#thread = new ValidationThread(limits);
  }

  countOfUser(userId: string): number {
    return this.#queue.countOfUser(userId);
  }

  validate(path: string, sizeBytes: number, userId: string): Promise<ValidationResult> {
    const { promise, resolve } = Promise.withResolvers<ValidationResult>();
    this.#queue.add({ task: { path, resolve }, sizeBytes, userId });
    this.#running ??= this.#run();
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { resolve } of this.#queue.clear()) resolve(Promise.reject(closedError()));
    await this.#thread[Symbol.asyncDispose]();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let task = this.#queue.take(); task !== undefined; task = this.#queue.take()) {
      const result = this.#thread.validate(task.path);
      task.resolve(result);
      // The caller handles a rejection.
      await result.catch(() => {});
    }
    this.#running = undefined;
  }
}

function chooseLane(sizeBytes: number, isArchive: boolean): LaneName {
  return sizeBytes <= (isArchive ? MAX_SMALL_ARCHIVE_BYTES : MAX_SMALL_BYTES) ? 'small' : 'large';
}

function assertFewWaiting(count: number, { maxWaitingPerUser }: ValidationWorkerLimits): void {
  if (count < maxWaitingPerUser) return;
  throw new Problem('server.busy', {
    detail: `${count} of your files are waiting to be validated. Retry later.`,
    retryAfterSeconds: 10,
  });
}

async function readFileSummary(path: string): Promise<{ sizeBytes: number; isArchive: boolean }> {
  try {
    await using file = await open(path);
    const { size: sizeBytes } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return { sizeBytes, isArchive: buffer.toString('latin1') === ZIP_SIGNATURE };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new Problem('server.failed', { cause });
  }
}
