import type { WorkerResult } from '../model-processor.ts';
import type { SandboxLimits } from './limits.ts';
import { InvalidResultError, readWorkerRejection, readWorkerReport } from './read-results.ts';
import { ResultTooLargeError } from './receive-results.ts';
import type { ProcessExit } from './run-process.ts';
import { EXIT_REJECTED } from './worker-protocol.ts';

// What V8, the libraries and the C++ runtime print when an allocation fails.
const OUT_OF_MEMORY_OUTPUT =
  /out of memory|heap limit|allocation failed|bad_alloc|cannot allocate/i;
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

/** Converts the exit of a worker to the result of its job. Verifies everything that the worker wrote. */
export async function classifyExit(
  exit: ProcessExit,
  directory: string,
  limits: SandboxLimits,
): Promise<WorkerResult> {
  if (exit.killReason === 'aborted') {
    const detail = 'The job was stopped.';
    return { ok: false, code: 'server.unavailable', detail, retryable: true };
  }
  if (exit.killReason === 'timeout') {
    const seconds = Math.ceil(limits.timeoutMs / 1000);
    return toTooComplex(`Processing the file takes more than ${seconds} s.`);
  }
  if (OUT_OF_MEMORY_SIGNALS.includes(exit.signal) && OUT_OF_MEMORY_OUTPUT.test(exit.output)) {
    return toTooComplex(describeMemoryLimit(limits));
  }
  try {
    if (exit.resultsError !== undefined) throw exit.resultsError;
    if (exit.exitCode === EXIT_REJECTED)
      return { ok: false, retryable: false, ...(await readWorkerRejection(directory)) };
    if (exit.exitCode === 0) {
      return { ok: true, report: await readWorkerReport(directory, limits.fileBytes) };
    }
  } catch (error) {
    if (error instanceof ResultTooLargeError)
      return toTooComplex('The processed file is larger than a design may be.');
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      const detail = 'The disk of the server is full.';
      return { ok: false, code: 'server.storage-full', detail, retryable: true };
    }
    if (!(error instanceof InvalidResultError)) throw error;
    return toWorkerFailed(`it wrote no valid result: ${error.message}`);
  }
  return toWorkerFailed(exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.exitCode}`);
}

function describeMemoryLimit({ memoryBytes }: SandboxLimits): string {
  const gigabytes = (memoryBytes / 1024 ** 3).toFixed(1).replace(/\.0$/, '');
  return `Processing the file needs more memory than the ${gigabytes} GiB allowed for one design.`;
}

function toTooComplex(detail: string): WorkerResult {
  return { ok: false, code: 'design.too-complex', detail, retryable: false };
}

/** A failure whose cause is unknown. It may not be caused by the file, so the job is retried. */
function toWorkerFailed(reason: string): WorkerResult {
  const detail = `The process that reads the file failed (${reason}).`;
  return { ok: false, code: 'server.failed', detail, retryable: true };
}
