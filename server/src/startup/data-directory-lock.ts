import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../config.ts';

/**
 * Locks the data directory for this process: two processes would delete each other's drafts and jobs.
 * The lock is SQLite's lock on a file. The operating system releases it when the process ends, also
 * after a crash.
 *
 * @throws {ConfigError} another process has the lock, or the directory cannot be written to
 */
export function acquireDataDirectoryLock(directory: string): Disposable {
  const lock = tryAcquireDataDirectoryLock(directory);
  if (lock !== undefined) return lock;
  throw new ConfigError(
    `CLOCHE_DATA is "${directory}", which another Cloche process is using. Stop that process, or set another directory.`,
  );
}

/**
 * Locks the data directory, or returns undefined if another process has the lock.
 *
 * @throws {ConfigError} the directory cannot be written to
 */
export function tryAcquireDataDirectoryLock(directory: string): Disposable | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(directory, 'lock.sqlite'));
    // With a journal in memory, acquiring the lock writes nothing to the disk.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    const { errcode } = error as { errcode?: number };
    if (errcode === SQLITE_BUSY) return undefined;
    if (!UNWRITABLE_CODES.includes(errcode)) throw error;
    throw new ConfigError(
      `CLOCHE_DATA is "${directory}", which this user cannot write to. Change its owner, or set another directory.`,
    );
  }
}

const SQLITE_BUSY = 5;
/** SQLITE_READONLY and SQLITE_CANTOPEN. */
const UNWRITABLE_CODES: readonly unknown[] = [8, 14];
