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
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(directory, 'lock.sqlite'));
    // With a journal in memory, acquiring the lock writes nothing to the disk.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    const reason = REASONS[(error as { errcode?: number }).errcode ?? 0];
    if (reason === undefined) throw error;
    throw new ConfigError(`CLOCHE_DATA is "${directory}", ${reason}, or set another directory.`);
  }
}

/** What is wrong and how to correct it, by the error code of SQLite. */
const REASONS: Record<number, string> = {
  5: 'which another Cloche process is using. Stop that process',
  8: 'which this user cannot write to. Change its owner',
  14: 'which this user cannot write to. Change its owner',
};
