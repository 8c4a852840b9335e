import { Problem } from '@cloche/contract/problem';
import type { Lock, Locker, RequestRelease } from '@tus/server';

type LockHolder = { requestRelease: RequestRelease; released: Promise<void> };

/**
 * One request at a time for each upload. A newer one asks the older to let go: the older is often one
 * whose connection broke without a word. (The library's own locker keeps a core busy while it waits.)
 */
export class UploadLocker implements Locker {
  readonly #holders = new Map<string, LockHolder>();
  readonly #timeoutMs: number;

  /** @param waitMs so long the newer of two requests waits for the older one to let go */
  constructor(waitMs: number) {
    this.#timeoutMs = waitMs;
  }

  isLocked(id: string): boolean {
    return this.#holders.has(id);
  }

  newLock(id: string): Lock {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    return {
      lock: async (_signal, requestRelease) => {
        const end = Date.now() + this.#timeoutMs;
        for (let holder = this.#holders.get(id); holder; holder = this.#holders.get(id)) {
          await holder.requestRelease();
          await waitForRelease(end - Date.now(), holder.released);
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

async function waitForRelease(ms: number, gone: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Problem('upload.busy', { detail: BUSY_DETAIL })), ms);
  try {
    await Promise.race([gone, late]);
  } finally {
    clearTimeout(timer);
  }
}

const BUSY_DETAIL = 'Another request is at work on this upload. Ask again in a moment.';
