import { Problem } from '@cloche/contract/problem';

/**
 * Refuses a file that breaks a rule of its format.
 *
 * @param complaint a sentence for the owner, without its full stop
 * @throws {Problem} design.unreadable: always
 */
export function throwUnreadable(reason: string, complaint: string): never {
  throw new Problem('design.unreadable', { detail: `${complaint}.`, reason });
}
