import type { TestContext } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { BlobStore, Draft } from '../src/blobs/blob-store.ts';
import { DiskBlobStore } from '../src/blobs/disk-blob-store.ts';

/** Blobs on disk that wait to be let go before they keep anything. */
export class BlockingBlobStore implements BlobStore {
  readonly #inner: DiskBlobStore;
  readonly #released = Promise.withResolvers<void>();
  readonly #keepStarted = Promise.withResolvers<void>();
  /** Settles when the first draft is about to be kept. */
  readonly keepStarted = this.#keepStarted.promise;

  private constructor(inner: DiskBlobStore) {
    this.#inner = inner;
  }

  static async open(t: TestContext): Promise<BlockingBlobStore> {
    return new BlockingBlobStore(await DiskBlobStore.open(await openTemporaryDirectory(t)));
  }

  release(): void {
    this.#released.resolve();
  }

  async createDraft(...given: Parameters<BlobStore['createDraft']>): Promise<Draft> {
    const draft = await this.#inner.createDraft(...given);
    return {
      ...draft,
      commit: async () => {
        this.#keepStarted.resolve();
        await this.#released.promise;
        await draft.commit();
      },
    };
  }

  open(...given: Parameters<BlobStore['open']>) {
    return this.#inner.open(...given);
  }

  read(...given: Parameters<BlobStore['read']>) {
    return this.#inner.read(...given);
  }

  copyToFile(...given: Parameters<BlobStore['copyToFile']>) {
    return this.#inner.copyToFile(...given);
  }

  remove(...given: Parameters<BlobStore['remove']>) {
    return this.#inner.remove(...given);
  }

  list() {
    return this.#inner.list();
  }
}

/** Blobs on a disk that has no room left: the system's own error at the first byte. */
export function createDiskFullBlobStore(inner: BlobStore): BlobStore {
  async function* untilFull(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array();
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  return {
    createDraft: (_bytes, options) => inner.createDraft(untilFull(), options),
    open: (...given) => inner.open(...given),
    read: (...given) => inner.read(...given),
    copyToFile: (...given) => inner.copyToFile(...given),
    remove: (...given) => inner.remove(...given),
    list: () => inner.list(),
  };
}
