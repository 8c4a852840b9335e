import type { Readable } from 'node:stream';
import { Cache, type NamedCaches } from '../cache/cache.ts';
import type { BlobRange, BlobRef, BlobStore, Draft, StoredBlob } from './blob-store.ts';

/** Cache size. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Caches the most recently read blobs in memory. Blobs never change, so no entry becomes stale. */
export class CachedBlobStore implements BlobStore {
  readonly #inner: BlobStore;
  readonly #cache: Cache<Buffer>;

  constructor(inner: BlobStore, { maxBytes = MAX_BYTES } = {}) {
    this.#inner = inner;
    // lru-cache accepts positive sizes only; an empty blob counts as one byte.
    this.#cache = new Cache({ maxBytes, sizeOf: ({ length }) => Math.max(1, length) });
  }

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    return { blobs: this.#cache };
  }

  read(ref: BlobRef): Promise<Buffer | undefined> {
    return this.#cache.getOrLoad(ref, () => this.#inner.read(ref));
  }

  async remove(ref: BlobRef, storedBefore?: Date): Promise<boolean> {
    const removed = await this.#inner.remove(ref, storedBefore);
    // After the removal: a read that began before it must not be cached.
    if (removed) this.#cache.invalidate(ref);
    return removed;
  }

  createDraft(bytes: AsyncIterable<Uint8Array>, options: { maxBytes: number }): Promise<Draft> {
    return this.#inner.createDraft(bytes, options);
  }

  open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined> {
    return this.#inner.open(ref, range);
  }

  copyToFile(ref: BlobRef, path: string): Promise<boolean> {
    return this.#inner.copyToFile(ref, path);
  }

  list(): AsyncIterable<StoredBlob> {
    return this.#inner.list();
  }
}
