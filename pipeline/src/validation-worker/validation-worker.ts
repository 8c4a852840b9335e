/*
 * Why a thread: most checks read block by block, but JSON is parsed in one piece. Longest event loop
 * delay during a validation, in the main thread and with a worker thread, on two busy cores
 * (November 2026, Node 24.21, `monitorEventLoopDelay` at 1 ms, three runs):
 *
 *   1.9 million JSON values, as many as are allowed (10 MB)   300-457 ms     5-13 ms
 *   half a million nodes, refused (1.5 MB)                     66-239 ms     2-15 ms
 *   three million objects, refused (9 MB)                      96-111 ms     4-12 ms
 *   a valid model of 14 MB                                        277 ms       12 ms
 *
 * A thread shares the memory of the service, and its memory limit does not include buffers, which the
 * validation itself bounds. Libraries process untrusted files in a separate process, never here.
 */
import { Worker } from 'node:worker_threads';
import { Problem } from '@cloche/contract/problem';
import type { ValidationResult } from '../formats/validate-model.ts';
import type { ValidationReply } from './validation-worker-thread.ts';

/** Validates files in a thread, one at a time. */
export type ValidationWorker = AsyncDisposable & {
  /** @throws {Problem} as validateModel; also design.too-complex: too much time or memory */
  validate(path: string): Promise<ValidationResult>;
};

/** Limits of the thread. */
export type ValidationWorkerLimits = {
  /** Mostly for parsed JSON: the largest that the limits allow takes about 300 MB. */
  heapMb: number;
  /** An archive of 1 GiB, uncompressed, takes about 10 seconds. */
  timeoutMs: number;
};

const DEFAULT_WORKER_LIMITS: ValidationWorkerLimits = { heapMb: 1024, timeoutMs: 120_000 };
const THREAD_URL = new URL('./validation-worker-thread.ts', import.meta.url);

/**
 * Opens a worker thread that validates one file at a time. The thread starts with the first file, and
 * again with the next file after it was terminated. It keeps the process alive only while it validates.
 */
export function openValidationWorker(
  limits: Partial<ValidationWorkerLimits> = {},
): ValidationWorker {
  const { heapMb, timeoutMs } = { ...DEFAULT_WORKER_LIMITS, ...limits };
  let thread: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function start(): Worker {
    const worker = new Worker(THREAD_URL, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // Without a listener, an error of the thread would end the process.
    return worker.on('error', () => {});
  }

  async function validate(path: string): Promise<ValidationResult> {
    if (isClosed) throw closedError();
    thread ??= start();
    const outcome = await requestValidation(thread, path, timeoutMs);
    if ('reason' in outcome) {
      await thread.terminate();
      thread = undefined;
    }
    return toValidationResult(outcome, () => isClosed);
  }

  return {
    validate(path) {
      const result = queue.then(() => validate(path));
      queue = result.catch(() => {});
      return result;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await thread?.terminate();
      await queue;
    },
  };
}

type ThreadOutcome = ValidationReply | { reason: 'memory' | 'time' | 'exit'; cause: unknown };

async function requestValidation(
  thread: Worker,
  path: string,
  timeoutMs: number,
): Promise<ThreadOutcome> {
  const { promise, resolve } = Promise.withResolvers<ThreadOutcome>();
  const fail = (cause: Error & { code?: string }) =>
    resolve({ reason: cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'exit', cause });
  const exit = (code: number) => resolve({ reason: 'exit', cause: code });
  const timer = setTimeout(() => resolve({ reason: 'time', cause: timeoutMs }), timeoutMs);

  thread.once('message', resolve).once('error', fail).once('exit', exit).ref();
  thread.postMessage(path);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    thread.off('message', resolve).off('error', fail).off('exit', exit).unref();
  }
}

function toValidationResult(outcome: ThreadOutcome, isClosed: () => boolean): ValidationResult {
  if ('result' in outcome) return outcome.result;
  if ('problem' in outcome) {
    const { code, message, reason, field } = outcome.problem;
    throw new Problem(code, {
      detail: message,
      cause: outcome.cause,
      ...(reason !== undefined && { reason }),
      ...(field !== undefined && { field }),
    });
  }
  if ('internalError' in outcome)
    throw new Problem('server.failed', { cause: outcome.internalError });
  if (isClosed()) throw closedError();
  const { reason: exitReason, cause } = outcome;
  if (exitReason === 'exit') throw new Problem('server.failed', { cause });
  throw new Problem('design.too-complex', {
    detail: `Checking the file takes more ${exitReason} than is allowed; make it smaller.`,
    reason: exitReason,
    cause,
  });
}

function closedError(): Problem {
  return new Problem('server.unavailable', { detail: 'The service is shutting down.' });
}
