import { availableParallelism, totalmem } from 'node:os';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Resource limits of one job. */
export type SandboxLimits = {
  /** Writable memory: heap, WebAssembly, images (RLIMIT_DATA). */
  memoryBytes: number;
  /** Address space, mapped or reserved (RLIMIT_AS). */
  addressSpaceBytes: number;
  /** V8's heap for JavaScript objects. */
  heapBytes: number;
  /** All result files of the job together, which the worker sends through a pipe. It is no limit of the kernel. */
  fileBytes: number;
  /** Wall-clock time, for large files; see getTimeoutMs. */
  timeoutMs: number;
};

/** What the kernel limits for each process of a job or a browser. */
export type ResourceLimits = {
  /** Writable memory (RLIMIT_DATA). */
  memoryBytes: number;
  /** Address space (RLIMIT_AS). */
  addressSpaceBytes: number;
  /** The largest file that it may write (RLIMIT_FSIZE). Pipes are not limited; see `fileBytes` for the results. */
  writtenFileBytes: number;
  /** Processor time of all threads (RLIMIT_CPU). */
  cpuSeconds: number;
  /** Processes and threads of the user, if that user runs nothing else (RLIMIT_NPROC). */
  threads: number;
};

/** A third of it is the range that V8 reserves for machine code; see sandbox.ts. */
const MIN_MEMORY_BYTES = 1.5 * GIB;
const MAX_MEMORY_BYTES = 4 * GIB;
/** The part of the memory that workers may have together. The rest is for the service and the poster's browser. */
const MEMORY_SHARE = 0.75;

/** The resources of this machine, or of its container. */
export type MachineResources = { processors: number; memoryBytes: number };

/** Returns the resources of this machine. The memory is the limit of its container, if there is one. */
export function getMachineResources(): MachineResources {
  const containerLimit = process.constrainedMemory();
  const memoryBytes = containerLimit > 0 ? Math.min(containerLimit, totalmem()) : totalmem();
  return { processors: availableParallelism(), memoryBytes };
}

/**
 * Chooses how many workers run at the same time: one for each processor but one, and at least two, so that a
 * small file does not wait for a large one. Fewer if the machine has too little memory for them.
 */
export function chooseWorkerCount({ processors, memoryBytes }: MachineResources): number {
  const countInMemory = Math.floor((MEMORY_SHARE * memoryBytes) / MIN_MEMORY_BYTES);
  return Math.max(1, Math.min(Math.max(2, processors - 1), countInMemory));
}

/** Returns the limits of each of `workerCount` workers, unless the operator sets others. */
export function getDefaultLimits(
  workerCount = 1,
  { memoryBytes } = getMachineResources(),
): SandboxLimits {
  const share = Math.floor((MEMORY_SHARE * memoryBytes) / workerCount);
  return {
    memoryBytes: Math.min(MAX_MEMORY_BYTES, Math.max(MIN_MEMORY_BYTES, share)),
    addressSpaceBytes: 128 * GIB,
    heapBytes: 2 * GIB,
    fileBytes: GIB,
    timeoutMs: 10 * 60_000,
  };
}

/** Node has 11 threads, libvips one per processor. */
const WORKER_THREADS = 128;
/** Most of a job runs in one thread. */
const CPU_SECONDS_PER_SECOND = 2;

/** What the kernel limits for a worker. It writes no files: its results leave through a pipe. */
export function getWorkerLimits(limits: SandboxLimits): ResourceLimits {
  const { memoryBytes, addressSpaceBytes, timeoutMs } = limits;
  return {
    memoryBytes,
    addressSpaceBytes,
    writtenFileBytes: 0,
    cpuSeconds: CPU_SECONDS_PER_SECOND * Math.ceil(timeoutMs / 1000),
    threads: WORKER_THREADS,
  };
}

/** What the kernel limits for each process of a browser, which renders several posters. */
export function getBrowserLimits(): ResourceLimits {
  return {
    memoryBytes: getDefaultLimits().memoryBytes,
    // V8's own sandbox reserves terabytes of address space.
    addressSpaceBytes: Number.MAX_SAFE_INTEGER,
    writtenFileBytes: GIB,
    cpuSeconds: 30 * 60,
    threads: 1024,
  };
}

/** Time for a file of any size, and for each MiB that it decodes to: 10 minutes for 270 MiB. */
const [BASE_TIMEOUT_MS, TIMEOUT_MS_PER_MIB] = [60_000, 2000];

/** The time limit of a job: a file that decodes to little cannot occupy a worker for as long as a large one. */
export function getTimeoutMs(
  decodedBytes: number | undefined,
  { timeoutMs }: Pick<SandboxLimits, 'timeoutMs'>,
): number {
  if (decodedBytes === undefined) return timeoutMs;
  return Math.min(timeoutMs, BASE_TIMEOUT_MS + TIMEOUT_MS_PER_MIB * (decodedBytes / MIB));
}
