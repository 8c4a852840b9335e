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

/** What the level `reduced` has on this system; see docs/security.md. */
export type ReducedProtections = {
  blocksNetwork: boolean;
  limitsMemory: boolean;
  limitsThreads: boolean;
  hasParentDeathSignal: boolean;
  changesUser: boolean;
  allowsChromiumSandbox: boolean;
};

/** Lists the protections that are missing at the level `reduced`. docs/security.md explains them. */
export function listMissingProtections(protections: ReducedProtections): string[] {
  const { changesUser, blocksNetwork, limitsMemory, limitsThreads } = protections;
  const { hasParentDeathSignal, allowsChromiumSandbox } = protections;
  return [
    ...(changesUser ? OF_ANOTHER_USER : OF_THE_SAME_USER),
    'system calls: there is no filter',
    ...(blocksNetwork ? [] : ['network: native code can open connections']),
    ...(limitsMemory ? [] : ['memory: only the heap of JavaScript is limited']),
    ...(limitsThreads ? [] : ['processes: their number is not limited']),
    ...(hasParentDeathSignal ? [] : ['exit: a busy worker outlives a service that is killed']),
    ...(allowsChromiumSandbox ? [] : ["browser: Chromium's own sandbox does not start"]),
  ];
}

const OF_THE_SAME_USER = [
  'files: native code can read and write what the user of the service can',
  'processes: native code can send signals to other processes of that user, and leave processes behind',
];
const OF_ANOTHER_USER = [
  'files: native code can read what all users of this machine can, and create files in directories such as /tmp',
  'processes: native code can list the processes of this machine',
];
