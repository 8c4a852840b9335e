import type { BlobRef } from './blobs.ts';

const MAX_BYTES = 64 * 1024 * 1024;

type Entry = { bytes: Buffer; used: boolean };

/**
 * Small blobs that were asked for lately, in memory. They never change, so none is ever stale.
 *
 * What was used since its last turn gets another ("second chance"): to keep all in the order of their
 * use would cost each look-up half a microsecond.
 */
export class RecentBlobs {
  /** The next to go first. */
  readonly #byRef = new Map<BlobRef, Entry>();
  #bytes = 0;

  get(ref: BlobRef): Buffer | undefined {
    const entry = this.#byRef.get(ref);
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.bytes;
  }

  put(ref: BlobRef, bytes: Buffer): void {
    this.drop(ref);
    this.#makeRoom(bytes.length);
    this.#add(ref, bytes);
  }

  drop(ref: BlobRef): void {
    this.#bytes -= this.#byRef.get(ref)?.bytes.length ?? 0;
    this.#byRef.delete(ref);
  }

  #makeRoom(size: number): void {
    // Those that get another turn come by again, behind the others.
    for (const [next, { bytes, used }] of this.#byRef) {
      if (this.#bytes + size <= MAX_BYTES) return;
      this.drop(next);
      if (used) this.#add(next, bytes);
    }
  }

  #add(ref: BlobRef, bytes: Buffer): void {
    this.#byRef.set(ref, { bytes, used: false });
    this.#bytes += bytes.length;
  }
}
