import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Problem } from '@cloche/contract/problem';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { BlobRef, BlobStore, Draft } from '../src/blobs/blob-store.ts';
import { DiskBlobStore } from '../src/blobs/disk-blob-store.ts';

/** Blobs on disk whose commits block until they are released. */
export class BlockingBlobStore implements BlobStore {
  readonly #inner: DiskBlobStore;
  readonly #released = Promise.withResolvers<void>();
  readonly #commitStarted = Promise.withResolvers<void>();
  /** Resolves when the first draft is about to be committed. */
  readonly commitStarted = this.#commitStarted.promise;

  private constructor(inner: DiskBlobStore) {
    this.#inner = inner;
  }

  static async open(t: TestContext): Promise<BlockingBlobStore> {
    return new BlockingBlobStore(await DiskBlobStore.open(await openTemporaryDirectory(t)));
  }

  release(): void {
    this.#released.resolve();
  }

  async createDraft(...args: Parameters<BlobStore['createDraft']>): Promise<Draft> {
    const draft = await this.#inner.createDraft(...args);
    return {
      ...draft,
      commit: async () => {
        this.#commitStarted.resolve();
        await this.#released.promise;
        await draft.commit();
      },
    };
  }

  open(...args: Parameters<BlobStore['open']>) {
    return this.#inner.open(...args);
  }

  read(...args: Parameters<BlobStore['read']>) {
    return this.#inner.read(...args);
  }

  copyToFile(...args: Parameters<BlobStore['copyToFile']>) {
    return this.#inner.copyToFile(...args);
  }

  remove(...args: Parameters<BlobStore['remove']>) {
    return this.#inner.remove(...args);
  }

  list() {
    return this.#inner.list();
  }
}

/** Wraps a blob store so that no commit of a file starts before `count` commits of it are about to. */
export function createMeetingBlobStore(inner: BlobStore, ref: BlobRef, count: number): BlobStore {
  const allArrived = Promise.withResolvers<void>();
  let arrived = 0;
  const createDraft: BlobStore['createDraft'] = async (...args) => {
    const draft = await inner.createDraft(...args);
    const commit = async () => {
      arrived += 1;
      if (arrived === count) allArrived.resolve();
      await allArrived.promise;
      await draft.commit();
    };
    return draft.ref === ref ? { ...draft, commit } : draft;
  };
  return { ...createPassingBlobStore(inner), createDraft };
}

/** Wraps a blob store so that writes fail as on a full disk, with ENOSPC at the first byte. */
export function createDiskFullBlobStore(inner: BlobStore): BlobStore {
  async function* failWithDiskFull(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array();
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  return {
    ...createPassingBlobStore(inner),
    createDraft: (_bytes, options) => inner.createDraft(failWithDiskFull(), options),
  };
}

/**
 * Wraps a blob store as if this node had stood still after each commit, or after those during which `isSuspended` was true,
 * while another one removed the blob.
 */
export function createSuspendedBlobStore(
  inner: BlobStore,
  isSuspended: () => boolean = () => true,
): BlobStore {
  const createDraft: BlobStore['createDraft'] = async (...args) => {
    const draft = await inner.createDraft(...args);
    const assertRetained: Draft['assertRetained'] = async (trx) => {
      if (isSuspended()) throw new Problem('server.unavailable');
      await draft.assertRetained(trx);
    };
    return { ...draft, assertRetained };
  };
  return { ...createPassingBlobStore(inner), createDraft };
}

/** Wraps a blob store so that deleting each draft takes some time. */
export function createSlowBlobStore(inner: BlobStore, deleteMs: number): BlobStore {
  const createDraft: BlobStore['createDraft'] = async (...args) => {
    const draft = await inner.createDraft(...args);
    const deleteSlowly = async () => {
      await setTimeout(deleteMs);
      await draft[Symbol.asyncDispose]();
    };
    return { ...draft, [Symbol.asyncDispose]: deleteSlowly };
  };
  return { ...createPassingBlobStore(inner), createDraft };
}

/** Wraps a blob store without changing what it does. */
function createPassingBlobStore(inner: BlobStore): BlobStore {
  return {
    createDraft: (...args) => inner.createDraft(...args),
    open: (...args) => inner.open(...args),
    read: (...args) => inner.read(...args),
    copyToFile: (...args) => inner.copyToFile(...args),
    remove: (...args) => inner.remove(...args),
    list: () => inner.list(),
  };
}
