import type { WorkerResult } from '../model-processor.ts';
import type { StepName } from '../processing-steps.ts';
import { getWorkerLimits, type SandboxLimits } from './limits.ts';
import { InvalidResultError, readWorkerRejection, readWorkerReport } from './read-results.ts';
import { ResultTooLargeError } from './receive-results.ts';
import type { ProcessExit } from './run-process.ts';
import { EXIT_REJECTED } from './worker-protocol.ts';

// What V8, the libraries and the C++ runtime print when an allocation fails.
const OUT_OF_MEMORY_OUTPUT =
  /out of memory|heap limit|allocation failed|bad_alloc|cannot allocate/i;
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

/** meshoptimizer does not check whether its memory could grow. */
const OUT_OF_MEMORY_ERROR = /RuntimeError: memory access out of bounds.*meshoptimizer/s;

/** What is known about the job, for messages. */
export type JobSummary = {
  /** The last step that the worker reported. */
  step?: StepName | undefined;
  decodedBytes?: number | undefined;
};

/** Converts the exit of a worker to the result of its job. Verifies everything that the worker wrote. */
export async function classifyExit(
  exit: ProcessExit,
  directory: string,
  limits: SandboxLimits,
  summary: JobSummary = {},
): Promise<WorkerResult> {
  const ended = classifyEnd(exit, limits, summary);
  if (ended) return ended;
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
    return toCrashed(`it wrote no valid result: ${error.message}`, summary);
  }
  return toUnexpectedExit(exit, summary);
}

/** What an owner can do about a step that takes too long. */
const ADVICE: { readonly [step in StepName]?: string } = {
  read: 'fewer or simpler boolean operations, curved surfaces and instances, or export it as GLB',
  clean: 'fewer nodes, meshes and materials',
  geometry: 'fewer triangles, meshes and nodes',
  textures: 'fewer or smaller textures',
};
const DEFAULT_ADVICE = 'fewer triangles';

function describeTimeLimit(
  { timeoutMs }: SandboxLimits,
  { step, decodedBytes }: JobSummary,
): string {
  const limit = `Processing the file takes more than ${Math.ceil(timeoutMs / 1000)} s`;
  const megabytes = decodedBytes && Math.max(decodedBytes / 1e6, 0.1).toFixed(1);
  const reason = megabytes ? `, the limit for ${megabytes} MB of decoded data` : '';
  if (step === undefined) return `${limit}${reason}.`;
  const advice = ADVICE[step] ?? DEFAULT_ADVICE;
  return `${limit}${reason}. The step that was not finished is "${step}": give the model ${advice}.`;
}

/** The result if the process was ended because of a limit, or stopped. */
function classifyEnd(
  exit: ProcessExit,
  limits: SandboxLimits,
  summary: JobSummary,
): WorkerResult | undefined {
  if (exit.killReason === 'aborted') {
    const detail = 'The job was stopped.';
    return { ok: false, code: 'server.unavailable', detail, retryable: true };
  }
  if (exit.killReason === 'timeout') return toTooComplex(describeTimeLimit(limits, summary));
  if (exit.signal === 'SIGXCPU') {
    const { cpuSeconds } = getWorkerLimits(limits);
    return toTooComplex(`Processing the file takes more than ${cpuSeconds} s of processor time.`);
  }
  return isOutOfMemory(exit) ? toTooComplex(describeMemoryLimit(limits)) : undefined;
}

function isOutOfMemory({ signal, exitCode, output }: ProcessExit): boolean {
  return OUT_OF_MEMORY_SIGNALS.includes(signal)
    ? OUT_OF_MEMORY_OUTPUT.test(output)
    : exitCode === 1 && OUT_OF_MEMORY_ERROR.test(output);
}

function describeMemoryLimit({ memoryBytes }: SandboxLimits): string {
  const gigabytes = (memoryBytes / 1024 ** 3).toFixed(1).replace(/\.0$/, '');
  return `Processing the file needs more memory than the ${gigabytes} GiB allowed for one design.`;
}

function toTooComplex(detail: string): WorkerResult {
  return { ok: false, code: 'design.too-complex', detail, retryable: false };
}

function toUnexpectedExit({ signal, exitCode }: ProcessExit, summary: JobSummary): WorkerResult {
  if (signal === 'SIGKILL') return toKilled();
  return toCrashed(signal ?? `exit code ${exitCode}`, summary);
}

/** The worker ended by itself. If it does so again with the same file, the file is the cause. */
function toCrashed(reason: string, { step = 'read' }: JobSummary): WorkerResult {
  const detail = `The program that processes the file crashes at the step "${step}" (${reason}). Export the file again, or in another format.`;
  return { ok: false, code: 'design.failed', detail, retryable: 'once' };
}

/** Not killed by us: the kernel does it when the machine has too little memory. That may change. */
function toKilled(): WorkerResult {
  const detail =
    'The system ended the process (SIGKILL), probably because the machine of the service had too little memory. Upload the file again later, or a smaller one, and tell the operator.';
  return { ok: false, code: 'design.failed', detail, retryable: true };
}
