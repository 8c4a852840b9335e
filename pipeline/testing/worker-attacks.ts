import type { WorkerAttack } from './attacks/attack.ts';
import { ATTACKS_ON_FILES } from './attacks/on-files.ts';
import { ATTACKS_ON_THE_NETWORK } from './attacks/on-network.ts';
import { ATTACKS_ON_PROCESSES } from './attacks/on-processes.ts';
import { ATTACKS_ON_THE_SYSTEM } from './attacks/on-system.ts';

/** Each attack succeeds in a process without restrictions. */
export const WORKER_ATTACKS: readonly WorkerAttack[] = [
  ...ATTACKS_ON_PROCESSES,
  ...ATTACKS_ON_FILES,
  ...ATTACKS_ON_THE_NETWORK,
  ...ATTACKS_ON_THE_SYSTEM,
];
