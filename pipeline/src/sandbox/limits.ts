import { totalmem } from 'node:os';

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
  /** The largest file that the job may write (RLIMIT_FSIZE). */
  fileBytes: number;
  /** Wall-clock time, for large files; see getTimeoutMs. */
  timeoutMs: number;
};

/** Returns the limits used unless the operator sets others. */
export function getDefaultLimits(): SandboxLimits {
  return {
    memoryBytes: Math.min(
      4 * GIB,
      Math.max(1.5 * GIB, Math.floor(0.75 * getAvailableMemoryBytes())),
    ),
    addressSpaceBytes: 128 * GIB,
    heapBytes: 2 * GIB,
    fileBytes: GIB,
    timeoutMs: 10 * 60_000,
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

/** The memory of this machine, or the limit of its container. */
function getAvailableMemoryBytes(): number {
  const containerLimit = process.constrainedMemory();
  return containerLimit > 0 ? Math.min(containerLimit, totalmem()) : totalmem();
}
