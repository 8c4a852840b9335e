import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../config.ts';

/**
 * Locks the data directory for this process: two processes would delete each other's drafts and jobs.
 * The lock is SQLite's lock on a file. The operating system releases it when the process ends, also
 * after a crash.
 *
 * @throws {ConfigError} another process has the lock
 */
export function acquireDataDirectoryLock(directory: string): Disposable {
  const database = new DatabaseSync(join(directory, 'lock.sqlite'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new ConfigError(
      `CLOCHE_DATA is "${directory}", which another Cloche process is using. Stop that process, or set another directory.`,
    );
  }
  return { [Symbol.dispose]: () => database.close() };
}

const SQLITE_BUSY = 5;
