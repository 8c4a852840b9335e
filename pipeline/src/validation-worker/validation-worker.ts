/*
 * Why a thread: most checks go block by block, but JSON is parsed and walked in one piece. The longest
 * that the event loop stood still while a file was checked, in the service itself and by a thread, on
 * two busy cores (November 2026, Node 24.21, `monitorEventLoopDelay` at 1 ms, three runs):
 *
 *   1.9 million JSON values, as many as are allowed (10 MB)   300-457 ms     5-13 ms
 *   half a million nodes, refused (1.5 MB)                     66-239 ms     2-15 ms
 *   three million objects, refused (9 MB)                      96-111 ms     4-12 ms
 *   a tower of 14 MB                                              277 ms       12 ms
 *
 * A thread shares the memory of the service, and its limits do not count what lies in buffers: it is
 * the checks that bound those. What runs libraries over a stranger's file is a process of its own.
 */
import { Worker } from 'node:worker_threads';
import { Problem } from '@cloche/contract/problem';
import type { ValidationResult } from '../formats/validate-model.ts';
import type { ValidationReply } from './validation-worker-thread.ts';

/** Examines files beside the event loop. */
export type ValidationWorker = AsyncDisposable & {
  /** @throws {Problem} as `examine` does; design.too-complex also when it takes too long */
  validate(path: string): Promise<ValidationResult>;
};

export type ValidationWorkerLimits = {
  /** For JSON once parsed; the largest that is allowed takes some 300 MB. */
  heapMb: number;
  /** An archive of 1 GiB, unpacked, takes some 10 seconds. */
  timeoutMs: number;
};

const DEFAULT_WORKER_LIMITS: ValidationWorkerLimits = { heapMb: 1024, timeoutMs: 120_000 };
const THREAD_URL = new URL('./validation-worker-thread.ts', import.meta.url);

/**
 * Opens an examiner: one thread, started with the first file and again after it died, that examines
 * one file after the other. It holds the process only while it is at work.
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
    // Without a listener, an error would be the service's own.
    return worker.on('error', () => {});
  }

  async function examine(path: string): Promise<ValidationResult> {
    if (isClosed) throw closedError();
    thread ??= start();
    const ending = await requestValidation(thread, path, timeoutMs);
    if ('reason' in ending) {
      await thread.terminate();
      thread = undefined;
    }
    return toValidationResult(ending, () => isClosed);
  }

  return {
    validate(path) {
      const detectedFormat = queue.then(() => examine(path));
      queue = detectedFormat.catch(() => {});
      return detectedFormat;
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
  timeMs: number,
): Promise<ThreadOutcome> {
  const { promise, resolve } = Promise.withResolvers<ThreadOutcome>();
  const fail = (cause: Error & { code?: string }) =>
    resolve({ reason: cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'exit', cause });
  const exit = (code: number) => resolve({ reason: 'exit', cause: code });
  const timer = setTimeout(() => resolve({ reason: 'time', cause: timeMs }), timeMs);

  thread.once('message', resolve).once('error', fail).once('exit', exit).ref();
  thread.postMessage(path);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    thread.off('message', resolve).off('error', fail).off('exit', exit).unref();
  }
}

function toValidationResult(ending: ThreadOutcome, isClosed: () => boolean): ValidationResult {
  if ('result' in ending) return ending.result;
  if ('problem' in ending) {
    const { code, message, reason, field } = ending.problem;
    throw new Problem(code, {
      detail: message,
      cause: ending.cause,
      ...(reason !== undefined && { reason }),
      ...(field !== undefined && { field }),
    });
  }
  if ('internalError' in ending)
    throw new Problem('server.failed', { cause: ending.internalError });
  if (isClosed()) throw closedError();
  const { reason: ended, cause } = ending;
  if (ended === 'exit') throw new Problem('server.failed', { cause });
  const what = ended === 'time' ? 'time' : 'memory';
  throw new Problem('design.too-complex', {
    detail: `Checking the file takes more ${what} than is allowed; make it smaller.`,
    reason: what,
    cause,
  });
}

function closedError(): Problem {
  return new Problem('server.unavailable', { detail: 'The service is going down.' });
}
