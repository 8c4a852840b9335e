import type { WorkerResult } from '../model-processor.ts';
import type { SandboxLimits } from './limits.ts';
import { InvalidResultError, readWorkerRejection, readWorkerReport } from './read-results.ts';
import type { ProcessExit } from './run-process.ts';
import { EXIT_DISK_FULL, EXIT_REJECTED } from './worker-protocol.ts';

// What engines, libraries and the C++ runtime print when they are given no more memory.
const OUT_OF_MEMORY_OUTPUT =
  /out of memory|heap limit|allocation failed|bad_alloc|cannot allocate/i;
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

/** Says what an end means, and believes nothing in the folder that it has not checked. */
export async function classifyExit(
  end: ProcessExit,
  folder: string,
  bounds: SandboxLimits,
): Promise<WorkerResult> {
  if (end.killReason === 'aborted') {
    return {
      ok: false,
      code: 'server.unavailable',
      detail: 'The job was stopped.',
      retryable: true,
    };
  }
  if (end.killReason === 'timeout') {
    const seconds = Math.ceil(bounds.timeoutMs / 1000);
    return tooComplex(`The file needs more than ${seconds} s to be made fit for the web.`);
  }
  if (OUT_OF_MEMORY_SIGNALS.includes(end.signal) && OUT_OF_MEMORY_OUTPUT.test(end.output)) {
    return tooComplex(describeMemoryLimit(bounds));
  }
  if (end.exitCode === EXIT_DISK_FULL) {
    const detail = 'The service had no room left to work on the file.';
    return { ok: false, code: 'server.storage-full', detail, retryable: true };
  }
  try {
    if (end.exitCode === EXIT_REJECTED)
      return { ok: false, retryable: false, ...(await readWorkerRejection(folder)) };
    if (end.exitCode === 0) {
      return { ok: true, report: await readWorkerReport(folder, bounds.fileBytes) };
    }
  } catch (error) {
    if (!(error instanceof InvalidResultError)) throw error;
    return toWorkerFailed(`it left no valid result: ${error.message}`);
  }
  return toWorkerFailed(end.signal ? `ended by ${end.signal}` : `exit code ${end.exitCode}`);
}

function describeMemoryLimit({ memoryBytes }: SandboxLimits): string {
  const gigabytes = (memoryBytes / 1024 ** 3).toFixed(1).replace(/\.0$/, '');
  return `The file needs more memory than the ${gigabytes} GiB that one design may take.`;
}

function tooComplex(detail: string): WorkerResult {
  return { ok: false, code: 'design.too-complex', detail, retryable: false };
}

/** Not known to be the file's fault. */
function toWorkerFailed(why: string): WorkerResult {
  const detail = `The process that reads the file failed (${why}).`;
  return { ok: false, code: 'server.failed', detail, retryable: true };
}
