import { LRUCache } from 'lru-cache';
import { type BlobFile, type BlobRef, toBlobRef } from './blob-store.ts';

/** Blobs whose generation is kept in memory. It is looked up only for those that have no file of generation 0. */
const MAX_KNOWN = 10_000;
const NAME = /^([0-9a-f]{64})(?:\.([1-9]\d{0,8}))?$/;

/** The name of a file of a blob: its reference, and after a dot the generation, if it is not 0. */
export function toBlobFileName(ref: BlobRef, generation: number): string {
  return generation === 0 ? ref : `${ref}.${generation}`;
}

/** Parses the name of a file of a blob. Returns undefined if it is another file. */
export function parseBlobFileName(name: string): { ref: BlobRef; generation: number } | undefined {
  const [, text = '', generation = '0'] = NAME.exec(name) ?? [];
  const ref = toBlobRef(text);
  return ref && { ref, generation: Number(generation) };
}

/** Returns what a list contains of a blob with several files: `sizeBytes` is that of one of them. */
export function summarizeFiles(files: readonly BlobFile[]): Omit<BlobFile, 'generation'> {
  const storedAt = new Date(Math.max(...files.map((file) => file.storedAt.getTime())));
  const first = files.reduce((a, b) => (b.generation < a.generation ? b : a));
  return { storedAt, sizeBytes: first.sizeBytes };
}

/** Opens any file of a blob. */
export class BlobFileFinder {
  /** The generation that was found, of blobs that had no file of generation 0. */
  readonly #known = new LRUCache<BlobRef, number>({
    maxSize: MAX_KNOWN,
    sizeCalculation: () => 1,
  });

  /**
   * Returns the result of the first `open` that finds a file. The files are listed only if the blob has none of generation 0.
   * A file may be removed at any time, so one that was known, or listed, may be missing.
   */
  async find<T>(
    ref: BlobRef,
    open: (generation: number) => Promise<T | undefined>,
    list: () => Promise<readonly BlobFile[]>,
  ): Promise<T | undefined> {
    const known = this.#known.get(ref);
    for (const generation of known === undefined ? [0] : [known, 0]) {
      const found = await open(generation);
      if (found !== undefined) return found;
    }
    this.#known.delete(ref);
    for (const { generation } of await list()) {
      const found = await open(generation);
      if (found === undefined) continue;
      if (generation > 0) this.#known.set(ref, generation);
      return found;
    }
    return undefined;
  }
}
