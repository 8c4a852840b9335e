import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../environment.ts';

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
  const path = join(directory, 'lock.sqlite');
  assertWritable(directory, path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
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

/**
 * SQLite opens a file that it cannot write for reading only, and then its exclusive lock excludes no one. The file is not
 * opened here: closing it would release the locks that this process has.
 */
function assertWritable(directory: string, path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new ConfigError(
      `CLOCHE_DATA is "${directory}", whose file "lock.sqlite" this user cannot write to. Change its owner to the user of the service, or set another directory.`,
    );
  }
}

const SQLITE_BUSY = 5;
/** SQLITE_READONLY and SQLITE_CANTOPEN. */
const UNWRITABLE_CODES: readonly unknown[] = [8, 14];
