import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../config.ts';

/**
 * Claims the data folder for this process: two in one folder would throw away each other's work. The
 * claim is SQLite's lock on a file, which the system gives back however the process ends.
 *
 * @throws {ConfigError} another process has it
 */
export function acquireDataDirectoryLock(folder: string): Disposable {
  const claim = new DatabaseSync(join(folder, 'claim.sqlite'));
  try {
    claim.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    claim.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new ConfigError(
      `CLOCHE_DATA names "${folder}", and another Cloche is running there. Stop it, or give this one a folder of its own.`,
    );
  }
  return { [Symbol.dispose]: () => claim.close() };
}

const SQLITE_BUSY = 5;
