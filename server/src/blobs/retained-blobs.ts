import type { BlobRef } from './blob-store.ts';

/** Counts the committed drafts of each blob that are not disposed yet: a row may be about to reference the blob. */
export class RetainedBlobs {
  readonly #counts = new Map<BlobRef, number>();

  /** Retains a blob until the result is disposed. */
  retain(ref: BlobRef): Disposable {
    this.#counts.set(ref, (this.#counts.get(ref) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        const count = (this.#counts.get(ref) ?? 0) - 1;
        if (count > 0) this.#counts.set(ref, count);
        else this.#counts.delete(ref);
      },
    };
  }

  /** Whether the blob is retained. */
  has(ref: BlobRef): boolean {
    return this.#counts.has(ref);
  }
}
