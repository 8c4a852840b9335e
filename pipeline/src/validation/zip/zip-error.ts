import { Problem } from '@cloche/contract/problem';

/**
 * Refuses an archive that is invalid or ambiguous.
 *
 * @throws {Problem} design.unreadable: always
 */
export function throwZipError(reason: string, message: string): never {
  throw new Problem('design.unreadable', {
    detail: `The zip archive is damaged or ambiguous. ${message}.`,
    reason,
  });
}
