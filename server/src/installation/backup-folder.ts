import { chmod, readdir } from 'node:fs/promises';
import { createDirectory } from '../disk/create-directory.ts';
import { tryAcquireDataDirectoryLock } from '../startup/data-directory-lock.ts';
import { InstallationError } from './installation-error.ts';

/** The names that a backup creates in its folder. */
const NAMES =
  /^(manifest\.json(\.new)?|rows-[0-9a-f]{64}\.sqlite|rows\.part(-wal|-shm|-journal)?|blobs|grant-[0-9a-f]{64}\.key(\.new)?|lock\.sqlite(-journal)?)$/;

/**
 * Creates the folder of a backup, or opens one for another backup. Only its owner can read it. No other backup can write to
 * it until the result is disposed.
 *
 * @throws {InstallationError} the folder contains something else, or another backup is being written to it
 */
export async function openBackupFolder(folder: string): Promise<Disposable> {
  try {
    await createDirectory(folder);
    const other = (await readdir(folder)).find((name) => !NAMES.test(name));
    if (other !== undefined) {
      throw new InstallationError(
        `"${folder}" contains "${other}", which is not part of a backup. Choose a new folder, or one with a backup.`,
      );
    }
    await chmod(folder, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new InstallationError(
      `"${folder}" cannot be written (${code}). The command runs as the user who owns the data directory: choose a folder of that user.`,
    );
  }
  const lock = tryAcquireDataDirectoryLock(folder);
  if (lock !== undefined) return lock;
  throw new InstallationError(`Another backup is being written to "${folder}". Wait for its end.`);
}
