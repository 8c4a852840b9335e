import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { readFreeBytes } from './free-space.ts';

const MIB = 1024 ** 2;
/** Size of the reserve. */
export const RESERVE_BYTES = 8 * MIB;
/** Released at a time. More than SQLite writes to revoke a token or to delete a design. */
const STEP_BYTES = MIB;
const CHUNK_BYTES = 64 * 1024;
/** With less free space than this, deleting a design frees its space at once, and nothing is cached on the disk. */
export const LOW_SPACE_BYTES = 1024 * MIB;

/** What the app needs of the reserve. */
export type Reserve = Pick<DiskReserve, 'run' | 'refill' | 'isSpaceLow' | 'readSpace'>;

/**
 * A file that occupies some space of the disk, so that tokens can be revoked and designs deleted when the
 * disk is full: `run` releases the space for one operation, and occupies it again.
 */
export class DiskReserve implements Disposable {
  readonly #directory: string;
  readonly #file: number;
  /** Operations that need the reserve run one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  /** @param path the file, in the data directory */
  constructor(path: string) {
    this.#directory = dirname(path);
    this.#file = openSync(path, 'a', 0o600);
  }

  /**
   * Runs an operation, and again with more space while it fails because the disk is full. `recycle` makes
   * space without the reserve; it is called before each further attempt.
   *
   * @throws {Problem} server.storage-full, if the operation fails with all of the reserve released
   */
  async run<T>(operation: () => Promise<T>, recycle: () => Promise<void>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      const result = this.#queue.then(() => this.#runWithReserve(operation, recycle));
      this.#queue = result.catch(() => {});
      return result;
    }
  }

  /** Occupies what is missing of the reserve, as far as there is space. Returns whether it is complete. */
  refill(): boolean {
    let missing = RESERVE_BYTES - this.#sizeBytes;
    if (missing <= 0) return true;
    try {
      while (missing > 0) {
        // Random bytes: a file system that compresses would give zeros no space.
        missing -= writeSync(this.#file, randomBytes(Math.min(missing, CHUNK_BYTES)));
      }
      fsyncSync(this.#file);
      return true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      return false;
    }
  }

  /** Releases as much of the reserve as a start of the service needs. `refill` occupies it again. */
  async releaseForStart(): Promise<void> {
    if ((await readFreeBytes(this.#directory)) < STEP_BYTES) this.#release();
  }

  /** Says whether there is so little free space that deleted files must not wait for the next cleanup. */
  async isSpaceLow(): Promise<boolean> {
    return (await readFreeBytes(this.#directory)) < LOW_SPACE_BYTES;
  }

  /** Reads how much space the disk has, and how much the reserve occupies. */
  async readSpace() {
    const { bavail, blocks, bsize } = await statfs(this.#directory);
    return {
      freeBytes: bavail * bsize,
      totalBytes: blocks * bsize,
      reserveBytes: this.#sizeBytes,
      reserveTargetBytes: RESERVE_BYTES,
    };
  }

  /** Closes the file. The space stays occupied. */
  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  async #runWithReserve<T>(operation: () => Promise<T>, recycle: () => Promise<void>): Promise<T> {
    try {
      for (;;) {
        await recycle();
        try {
          return await operation();
        } catch (error) {
          if (!isStorageFull(error) || !this.#release()) throw error;
        }
      }
    } finally {
      // At once: nothing else may use the space.
      this.refill();
    }
  }

  /** Releases a part of the reserve. Returns false if nothing is left. */
  #release(): boolean {
    const sizeBytes = this.#sizeBytes;
    ftruncateSync(this.#file, Math.max(0, sizeBytes - STEP_BYTES));
    return sizeBytes > 0;
  }

  get #sizeBytes(): number {
    return fstatSync(this.#file).size;
  }
}

export function isStorageFull(error: unknown): boolean {
  return error instanceof Problem && error.code === 'server.storage-full';
}

/** Says whether a file could not be written because of the disk, the quota of the user, or the limit of file sizes. */
export function isDiskFull(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
}
