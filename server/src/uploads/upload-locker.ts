import { Problem } from '@cloche/contract/problem';
import type { Lock, Locker, RequestRelease } from '@tus/server';
import { withTimeout } from '../http/with-timeout.ts';

type LockHolder = { requestRelease: RequestRelease; released: Promise<void> };

/**
 * Locks each upload for one request at a time. A newer request asks the holder to release the lock: the
 * connection of the holder is often dead. (The library's MemoryLocker busy-waits for the release.)
 */
export class UploadLocker implements Locker {
  readonly #holders = new Map<string, LockHolder>();
  readonly #timeoutMs: number;

  /** @param timeoutMs how long a request waits for the lock */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  isLocked(id: string): boolean {
    return this.#holders.has(id);
  }

  newLock(id: string): Lock {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    return {
      lock: async (_signal, requestRelease) => {
        const deadline = Date.now() + this.#timeoutMs;
        for (let holder = this.#holders.get(id); holder; holder = this.#holders.get(id)) {
          await holder.requestRelease();
          await withTimeout(holder.released, deadline - Date.now(), createLockedError);
        }
        this.#holders.set(id, { requestRelease, released });
      },
      unlock: async () => {
        this.#holders.delete(id);
        resolve();
      },
    };
  }
}

function createLockedError(): Problem {
  return new Problem('upload.locked', {
    detail: 'Another request holds the lock on this upload. Retry shortly.',
  });
}
