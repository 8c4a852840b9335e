import { randomUUID } from 'node:crypto';
import { opendir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { createDirectory } from '../disk/create-directory.ts';
import { LOW_SPACE_BYTES } from '../disk/disk-reserve.ts';
import { readFreeBytes } from '../disk/free-space.ts';
import { type BlobRef, toBlobRef } from './blob-store.ts';
import { GrowingFile } from './growing-file.ts';

/** What a file counts at least. It limits the number of files. */
const MIN_COUNTED_BYTES = 16 * 1024;
const TEMPORARY_SUFFIX = '.new';

export type CacheFolderOptions = {
  directory: string;
  maxBytes: number;
  /** Free space that is left to everything else. */
  minFreeBytes?: number | undefined;
};

type CachedFile = { path: string; sizeBytes: number };

/** Files of blobs that can be read again elsewhere. The least recently used ones are deleted first. */
export class CacheFolder {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #minFreeBytes: number;
  readonly #files: LRUCache<BlobRef, CachedFile>;
  /** Of the files that are being written. */
  #reservedBytes = 0;

  private constructor({ directory, maxBytes, minFreeBytes = LOW_SPACE_BYTES }: CacheFolderOptions) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#minFreeBytes = minFreeBytes;
    this.#files = new LRUCache<BlobRef, CachedFile>({
      maxSize: maxBytes,
      sizeCalculation: ({ sizeBytes }) => toCountedBytes(sizeBytes),
      // Readers that have opened the file still get its bytes. A failure costs space until the next start.
      dispose: ({ path }) => void rm(path, { force: true }).catch(() => undefined),
    });
  }

  /** Opens the folder with the files of earlier runs, and deletes those that a crash left incomplete. */
  static async open(options: CacheFolderOptions): Promise<CacheFolder> {
    const folder = new CacheFolder(options);
    await createDirectory(options.directory);
    const files: (CachedFile & { ref: BlobRef; cachedAt: number })[] = [];
    for await (const { name } of await opendir(options.directory)) {
      const path = join(options.directory, name);
      const ref = toBlobRef(name.split('.')[0] ?? '');
      if (ref === undefined) continue;
      const { size, mtimeMs } = await stat(path);
      if (name.endsWith(TEMPORARY_SUFFIX)) await rm(path, { force: true });
      else files.push({ ref, path, sizeBytes: size, cachedAt: mtimeMs });
    }
    files.sort((a, b) => a.cachedAt - b.cachedAt);
    for (const { ref, path, sizeBytes } of files) folder.#files.set(ref, { path, sizeBytes });
    return folder;
  }

  /** Returns the path of a file, which may be deleted at any time. */
  find(ref: BlobRef): string | undefined {
    return this.#files.get(ref)?.path;
  }

  /** The number of files, and what they count together. */
  get size(): { entries: number; sizeBytes: number } {
    return { entries: this.#files.size, sizeBytes: this.#files.calculatedSize };
  }

  /** Deletes a file. */
  delete(ref: BlobRef): void {
    this.#files.delete(ref);
  }

  /** Deletes all files. */
  clear(): void {
    this.#files.clear();
  }

  /** Deletes the least recently used files until there is enough free space. Returns whether there was enough before. */
  async freeSpace(): Promise<boolean> {
    const missing = this.#minFreeBytes - (await this.#readFreeBytes());
    for (let freed = 0; freed < missing && this.#files.size > 0; )
      freed += this.#files.pop()?.sizeBytes ?? 0;
    return missing <= 0;
  }

  /** Creates a file, in place of others if it is necessary. Returns undefined if there is no space. */
  async create(ref: BlobRef, sizeBytes: number): Promise<NewFile | undefined> {
    const countedBytes = toCountedBytes(sizeBytes);
    if (this.#reservedBytes + countedBytes > this.#maxBytes) return undefined;
    this.#reservedBytes += countedBytes;
    const release = () => {
      this.#reservedBytes -= countedBytes;
    };
    while (this.#files.calculatedSize + this.#reservedBytes > this.#maxBytes) this.#files.pop();
    const path = join(this.#directory, `${ref}.${randomUUID()}`);
    const temporaryPath = path + TEMPORARY_SUFFIX;
    try {
      const file = await GrowingFile.create(temporaryPath, sizeBytes);
      const keep = async () => {
        await rename(temporaryPath, path);
        release();
        this.#files.set(ref, { path, sizeBytes });
      };
      const discard = async () => {
        release();
        await rm(temporaryPath, { force: true });
      };
      return { file, keep, discard };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Creates the folder again if it was deleted by hand. */
  async #readFreeBytes(): Promise<number> {
    try {
      return await readFreeBytes(this.#directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await createDirectory(this.#directory);
      return readFreeBytes(this.#directory);
    }
  }
}

/** A file that `find` does not return before it is complete and kept. */
export type NewFile = { file: GrowingFile; keep(): Promise<void>; discard(): Promise<void> };

function toCountedBytes(sizeBytes: number): number {
  return Math.max(sizeBytes, MIN_COUNTED_BYTES);
}
