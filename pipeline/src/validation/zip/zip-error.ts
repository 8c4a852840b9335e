import { Problem } from '@cloche/contract/problem';

/**
 * Refuses an archive that could be understood in more than one way, or in none.
 *
 * @throws {Problem} design.unreadable: always
 */
export function throwZipError(reason: string, complaint: string): never {
  throw new Problem('design.unreadable', {
    detail: `The zip archive is damaged or made to mislead. ${complaint}.`,
    reason,
  });
}
