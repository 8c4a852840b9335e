import type { Isolation } from './isolation.ts';

/**
 * How workers are isolated. `strict`: native code of a worker can reach nothing but its own input. `reduced`: what
 * systems allow on which bubblewrap does not work; JavaScript is restricted as at the level `strict`.
 */
export type SandboxLevel = 'strict' | 'reduced';

export type SandboxReport = {
  level: SandboxLevel;
  /** Protections that this system does not have, as texts for the operator. */
  missing: string[];
  /** Why the level is not `strict`, and what to do. */
  reason?: string;
};

/** Lists the protections that are missing. docs/security.md explains them. */
export function listMissingProtections(isolation: Isolation, isStrict: boolean): string[] {
  if (isStrict) return isolation.limitsMemory ? [] : [MEMORY];
  return [
    ...NATIVE_CODE,
    ...(isolation.blocksNetwork ? [] : ['network: native code can open connections']),
    ...(isolation.limitsMemory ? [] : [MEMORY]),
    ...(isolation.hasParentDeathSignal
      ? []
      : ['exit: a busy worker outlives a service that is killed']),
  ];
}

const MEMORY = 'memory: only the heap of JavaScript is limited';
const NATIVE_CODE = [
  'files: native code can read and write what the user of the service can',
  'processes: native code can send signals to other processes of that user',
  'system calls: there is no filter',
];
