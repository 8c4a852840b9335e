import { Problem } from '@cloche/contract/problem';

/**
 * Refuses a file that breaks a rule of its format.
 *
 * @param message for the owner, without the final period
 * @throws {Problem} design.unreadable: always
 */
export function throwUnreadable(reason: string, message: string): never {
  throw new Problem('design.unreadable', { detail: `${message}.`, reason });
}
