import { Problem } from '@cloche/contract/problem';
import type { Lock, Locker, RequestRelease } from '@tus/server';

type Holder = { letGo: RequestRelease; gone: Promise<void> };

/**
 * One request at a time for each upload. A newer one asks the older to let go: the older is often one
 * whose connection broke without a word. (The library's own locker keeps a core busy while it waits.)
 */
export class Locks implements Locker {
  readonly #holders = new Map<string, Holder>();
  readonly #waitMs: number;

  /** @param waitMs so long the newer of two requests waits for the older one to let go */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  isHeld(id: string): boolean {
    return this.#holders.has(id);
  }

  newLock(id: string): Lock {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    return {
      lock: async (_signal, letGo) => {
        const end = Date.now() + this.#waitMs;
        for (let holder = this.#holders.get(id); holder; holder = this.#holders.get(id)) {
          await holder.letGo();
          await within(end - Date.now(), holder.gone);
        }
        this.#holders.set(id, { letGo, gone });
      },
      unlock: async () => {
        this.#holders.delete(id);
        resolve();
      },
    };
  }
}

async function within(ms: number, gone: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Problem('upload.busy', { detail: BUSY })), ms);
  try {
    await Promise.race([gone, late]);
  } finally {
    clearTimeout(timer);
  }
}

const BUSY = 'Another request is at work on this upload. Ask again in a moment.';
