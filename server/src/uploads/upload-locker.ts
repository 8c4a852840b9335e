import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@cloche/contract/problem';
import type { Lock, Locker, RequestRelease } from '@tus/server';
import type { Logger } from '../http/logger.ts';
import { withTimeout } from '../http/with-timeout.ts';
import { UPLOAD_LEASE_MS, type UploadLease, type UploadLeases } from './upload-leases.ts';

type LockHolder = {
  requestRelease: RequestRelease;
  released: Promise<void>;
  /** Whether the request was asked to release the lock. */
  isStopped: boolean;
  /** Undefined while the request waits for a request of another node. */
  lease?: UploadLease;
};

export type UploadLockerOptions = {
  leases: UploadLeases;
  /** How long a request waits for the lock. */
  timeoutMs: number;
  log: Pick<Logger, 'warn'>;
};

const RENEWAL_INTERVAL_MS = UPLOAD_LEASE_MS / 3;
/** How often a request asks for a lease that a request of another node has. */
const POLL_INTERVAL_MS = 100;

/**
 * Locks each upload for one request at a time: among the requests of this node in memory, and among the nodes with a
 * lease. A newer request asks the holder to release the lock: the connection of the holder is often dead. (The library's
 * MemoryLocker busy-waits for the release.)
 */
export class UploadLocker implements Locker {
  readonly #holders = new Map<string, LockHolder>();
  readonly #options: UploadLockerOptions;

  constructor(options: UploadLockerOptions) {
    this.#options = options;
  }

  /** Returns the lease of the request of this node that has the lock. */
  getLease(id: string): UploadLease {
    const lease = this.#holders.get(id)?.lease;
    if (lease === undefined) throw new Error(`No request has locked the upload ${id}.`);
    return lease;
  }

  /** Ends the request that has the lease, if it is one of this node. */
  async stop({ uploadId, attempt }: UploadLease): Promise<void> {
    const holder = this.#holders.get(uploadId);
    if (holder?.lease?.attempt === attempt) await stopHolder(holder);
  }

  newLock(id: string): Lock {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    let renewal: Disposable | undefined;
    return {
      lock: async (_signal, requestRelease) => {
        const deadline = Date.now() + this.#options.timeoutMs;
        for (let holder = this.#holders.get(id); holder; holder = this.#holders.get(id)) {
          await stopHolder(holder);
          await withTimeout(holder.released, deadline - Date.now(), createLockedError);
        }
        const holder: LockHolder = { requestRelease, released, isStopped: false };
        this.#holders.set(id, holder);
        try {
          holder.lease = await this.#waitForLease(id, holder, deadline);
          renewal = this.#keepRenewed(holder.lease, requestRelease);
        } catch (error) {
          this.#holders.delete(id);
          resolve();
          throw error;
        }
      },
      unlock: async () => {
        renewal?.[Symbol.dispose]();
        await this.#release(this.getLease(id));
        this.#holders.delete(id);
        resolve();
      },
    };
  }

  /** @throws {Problem} upload.locked, upload.unknown */
  async #waitForLease(id: string, holder: LockHolder, deadline: number): Promise<UploadLease> {
    const { leases } = this.#options;
    for (;;) {
      const { lease, isAcquired } = await leases.acquireOrFind(id);
      if (isAcquired) return lease;
      if (holder.isStopped || Date.now() >= deadline) throw createLockedError();
      await leases.requestStop(lease);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  #keepRenewed(lease: UploadLease, requestRelease: RequestRelease): Disposable {
    const { leases, log } = this.#options;
    const renew = async () => {
      try {
        if (!(await leases.renew(lease))) await requestRelease();
      } catch (err) {
        log.warn({ err, upload: lease.uploadId }, 'renewing the lease of an upload failed');
      }
    };
    const timer = setInterval(renew, RENEWAL_INTERVAL_MS).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  async #release(lease: UploadLease): Promise<void> {
    const { leases, log } = this.#options;
    // The lease ends by itself a few seconds later.
    await leases
      .release(lease)
      .catch((err) => log.warn({ err, upload: lease.uploadId }, 'releasing an upload failed'));
  }
}

function stopHolder(holder: LockHolder): void | Promise<void> {
  holder.isStopped = true;
  return holder.requestRelease();
}

function createLockedError(): Problem {
  return new Problem('upload.locked', {
    detail: 'Another request holds the lock on this upload. Retry shortly.',
  });
}
