import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

const PROGRAM_DIRECTORIES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

/**
 * Finds a program in system directories only, never in PATH: it may contain untrusted programs. Returns '' if it is
 * not found.
 */
export async function findExecutable(
  name: string,
  directories: readonly string[] = PROGRAM_DIRECTORIES,
): Promise<string> {
  for (const directory of directories) {
    try {
      await access(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      // Not in this directory: try the next.
    }
  }
  return '';
}
