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
 * Why several threads: with one, a GLB of 2 kB waited 3.6 s behind three zip archives of 5.6 MB, and so did the
 * models of finished jobs. Alone it takes 0.12 s. Threads share the processors, so that a small file is slower
 * while a large one is validated, but does not wait for it. `npm run bench:upload-lanes` measures it.
 *
 * A thread shares the memory of the service, and its memory limit does not include buffers, which the
 * validation itself bounds. Libraries process untrusted files in a separate process, never here.
 */
import { Worker } from 'node:worker_threads';
import { Problem } from '@cloche/contract/problem';
import type { ValidationResult } from '../formats/validate-model.ts';
import type { ValidationReply } from './validation-worker-thread.ts';

/** Limits of a thread. */
export type ValidationThreadLimits = {
  /** Mostly for parsed JSON: the largest that the limits allow takes about 300 MB. */
  heapMb: number;
  /** An archive of 1 GiB, uncompressed, takes about 10 seconds. */
  timeoutMs: number;
};

const THREAD_URL = new URL('./validation-worker-thread.ts', import.meta.url);

/**
 * A thread that validates one file at a time. It starts with the first file, and again with the next file
 * after it was terminated. It keeps the process alive only while it validates.
 */
export class ValidationThread implements AsyncDisposable {
  readonly #limits: ValidationThreadLimits;
  #thread: Worker | undefined;
  #isClosed = false;

  constructor(limits: ValidationThreadLimits) {
    this.#limits = limits;
  }

  /** @throws {Problem} as validateModel; design.too-complex: too much time or memory */
  async validate(path: string): Promise<ValidationResult> {
    if (this.#isClosed) throw closedError();
    this.#thread ??= this.#start();
    const outcome = await requestValidation(this.#thread, path, this.#limits.timeoutMs);
    if ('reason' in outcome) {
      await this.#thread.terminate();
      this.#thread = undefined;
    }
    return toValidationResult(outcome, this.#isClosed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(THREAD_URL, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb },
    });
    // Without a listener, an error of the thread would end the process.
    return worker.on('error', () => {});
  }
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

function toValidationResult(outcome: ThreadOutcome, isClosed: boolean): ValidationResult {
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
  if (isClosed) throw closedError();
  const { reason: exitReason, cause } = outcome;
  if (exitReason === 'exit') throw new Problem('server.failed', { cause });
  throw new Problem('design.too-complex', {
    detail: `Checking the file takes more ${exitReason} than is allowed; make it smaller.`,
    reason: exitReason,
    cause,
  });
}

/** The service is shutting down. */
export function closedError(): Problem {
  return new Problem('server.unavailable', { detail: 'The service is shutting down.' });
}
