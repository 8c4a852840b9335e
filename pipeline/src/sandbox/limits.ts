import { totalmem } from 'node:os';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** What one job may take. */
export type SandboxLimits = {
  /** Memory that can be written: heap, WebAssembly, pictures (RLIMIT_DATA). */
  memoryBytes: number;
  /** All that is mapped or reserved (RLIMIT_AS). */
  addressSpaceBytes: number;
  /** JavaScript's own heap. */
  heapBytes: number;
  /** Any one file it writes (RLIMIT_FSIZE). */
  fileBytes: number;
  /** From start to end, by the clock on the wall. */
  timeoutMs: number;
};

/** The bounds of a job where the operator sets none. */
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

/** What this machine has, or what its container allows. */
function getAvailableMemoryBytes(): number {
  const allowed = process.constrainedMemory();
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
}
