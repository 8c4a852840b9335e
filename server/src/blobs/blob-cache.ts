import type { BlobRef } from './blob-store.ts';

const MAX_SIZE_BYTES = 64 * 1024 * 1024;

type BlobCacheEntry = { bytes: Buffer; referenced: boolean };

/**
 * Small blobs that were asked for lately, in memory. They never change, so none is ever stale.
 *
 * What was used since its last turn gets another ("second chance"): to keep all in the order of their
 * use would cost each look-up half a microsecond.
 */
export class BlobCache {
  /** The next to go first. */
  readonly #entries = new Map<BlobRef, BlobCacheEntry>();
  #sizeBytes = 0;

  get(ref: BlobRef): Buffer | undefined {
    const entry = this.#entries.get(ref);
    if (entry === undefined) return undefined;
    entry.referenced = true;
    return entry.bytes;
  }

  set(ref: BlobRef, bytes: Buffer): void {
    this.delete(ref);
    this.#evict(bytes.length);
    this.#add(ref, bytes);
  }

  delete(ref: BlobRef): void {
    this.#sizeBytes -= this.#entries.get(ref)?.bytes.length ?? 0;
    this.#entries.delete(ref);
  }

  #evict(size: number): void {
    // Those that get another turn come by again, behind the others.
    for (const [next, { bytes, referenced }] of this.#entries) {
      if (this.#sizeBytes + size <= MAX_SIZE_BYTES) return;
      this.delete(next);
      if (referenced) this.#add(next, bytes);
    }
  }

  #add(ref: BlobRef, bytes: Buffer): void {
    this.#entries.set(ref, { bytes, referenced: false });
    this.#sizeBytes += bytes.length;
  }
}
