import type { BlobRef } from './blobs.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** Small blobs that were asked for lately, in memory. They never change, so none is ever stale. */
export class RecentBlobs {
  readonly #byRef = new Map<BlobRef, Buffer>();
  #bytes = 0;

  get(ref: BlobRef): Buffer | undefined {
    const bytes = this.#byRef.get(ref);
    if (bytes === undefined) return undefined;
    // Last in the order of the map is used last.
    this.#byRef.delete(ref);
    this.#byRef.set(ref, bytes);
    return bytes;
  }

  put(ref: BlobRef, bytes: Buffer): void {
    this.drop(ref);
    this.#byRef.set(ref, bytes);
    this.#bytes += bytes.length;
    for (const [oldest] of this.#byRef) {
      if (this.#bytes <= MAX_BYTES) return;
      this.drop(oldest);
    }
  }

  drop(ref: BlobRef): void {
    this.#bytes -= this.#byRef.get(ref)?.length ?? 0;
    this.#byRef.delete(ref);
  }
}
