import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { NamedCaches } from '../cache/cache.ts';
import { isDiskFull, isStorageFull } from '../disk/disk-reserve.ts';
import type {
  BlobDownload,
  BlobFile,
  BlobRange,
  BlobRef,
  FileDraft,
  RemoteBlobStore,
  StoredBlob,
} from './blob-store.ts';
import { CacheFolder, type CacheFolderOptions, type NewFile } from './cache-folder.ts';
import { FileStream } from './file-stream.ts';
import { CacheFileError, type GrowingFile } from './growing-file.ts';

/**
 * Keeps the blobs that are read from another machine in a folder of this one, up to a number of bytes. A blob never
 * changes, so a file is never stale. Whether a reader may have a blob is decided before it is read, here as elsewhere.
 *
 * A failure of the folder is not one of the read: the bytes then come from the other machine.
 */
export class DiskCachedBlobStore implements RemoteBlobStore, AsyncDisposable {
  readonly #inner: RemoteBlobStore;
  readonly #folder: CacheFolder;
  /** Those that have begun. Undefined: the blob does not exist, or is not to be cached. */
  readonly #downloads = new Map<BlobRef, Promise<GrowingFile | undefined>>();
  readonly #writing = new Set<Promise<void>>();

  #hits = 0;
  #misses = 0;

  private constructor(inner: RemoteBlobStore, folder: CacheFolder) {
    this.#inner = inner;
    this.#folder = folder;
  }

  /** Opens the folder, with the files that earlier runs have left in it. */
  static async open(
    inner: RemoteBlobStore,
    options: CacheFolderOptions,
  ): Promise<DiskCachedBlobStore> {
    return new DiskCachedBlobStore(inner, await CacheFolder.open(options));
  }

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    const readStatistics = () => ({
      hits: this.#hits,
      misses: this.#misses,
      ...this.#folder.size,
    });
    return { blobFiles: { readStatistics } };
  }

  async open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined> {
    const cached = await this.#openFile(ref, (path) => FileStream.open(path, range));
    if (cached !== undefined) return cached;
    // A range is not worth the whole blob.
    return range === undefined ? this.#openMissing(ref) : this.#inner.open(ref, range);
  }

  async read(ref: BlobRef): Promise<Buffer | undefined> {
    const cached = await this.#openFile(ref, (path) => readFile(path));
    if (cached !== undefined) return cached;
    const bytes = await this.#inner.read(ref);
    if (bytes !== undefined) this.#keep(ref, bytes);
    return bytes;
  }

  download(ref: BlobRef): Promise<BlobDownload | undefined> {
    return this.#inner.download(ref);
  }

  async createDraft(
    bytes: AsyncIterable<Uint8Array>,
    options: { maxBytes: number },
  ): Promise<FileDraft> {
    // A failure of the folder is not one of the draft.
    await this.#folder.freeSpace().catch(() => undefined);
    try {
      return await this.#inner.createDraft(bytes, options);
    } catch (error) {
      // Free space says nothing of the quota of the user: the next draft needs it more than the cache.
      if (isStorageFull(error)) this.#folder.clear();
      throw error;
    }
  }

  async remove(ref: BlobRef, storedBefore?: Date): Promise<boolean> {
    const removed = await this.#inner.remove(ref, storedBefore);
    if (removed) this.#forget(ref);
    return removed;
  }

  findFiles(ref: BlobRef): Promise<BlobFile[]> {
    return this.#inner.findFiles(ref);
  }

  async removeFile(ref: BlobRef, generation: number): Promise<boolean> {
    const ended = await this.#inner.removeFile(ref, generation);
    this.#forget(ref);
    return ended;
  }

  copyToFile(ref: BlobRef, path: string): Promise<boolean> {
    return this.#inner.copyToFile(ref, path);
  }

  list(): AsyncIterable<StoredBlob> {
    return this.#inner.list();
  }

  /** Waits for the files that are being written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#downloads.values());
    await Promise.all(this.#writing);
  }

  /** The space is free after a removal. If other files of the blob remain, it is cached again. */
  #forget(ref: BlobRef): void {
    this.#folder.delete(ref);
    // A download that has begun is not kept.
    this.#downloads.delete(ref);
  }

  async #openFile<T>(ref: BlobRef, open: (path: string) => Promise<T>): Promise<T | undefined> {
    const file = await this.#findFile(ref, open);
    if (file === undefined) this.#misses += 1;
    else this.#hits += 1;
    return file;
  }

  async #findFile<T>(ref: BlobRef, open: (path: string) => Promise<T>): Promise<T | undefined> {
    const path = this.#folder.find(ref);
    if (path === undefined) return undefined;
    try {
      return await open(path);
    } catch (error) {
      if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
      // Evicted since, deleted by hand, or not readable: the other machine has the blob.
      if (this.#folder.find(ref) === path) this.#folder.delete(ref);
      return undefined;
    }
  }

  /** Readers of the same blob share one download. */
  async #openMissing(ref: BlobRef): Promise<Readable | undefined> {
    const running = this.#downloads.get(ref);
    if (running !== undefined) {
      const file = await running;
      return file === undefined ? this.#inner.open(ref) : this.#createReader(ref, file);
    }
    const starting = Promise.withResolvers<GrowingFile | undefined>();
    // The error is that of this reader, and of those that wait.
    starting.promise.catch(() => undefined);
    this.#downloads.set(ref, starting.promise);
    try {
      const download = await this.#inner.download(ref);
      const file = download && (await this.#startWriting(ref, download));
      if (file === undefined) this.#downloads.delete(ref);
      starting.resolve(file);
      return file === undefined ? download?.bytes : this.#createReader(ref, file);
    } catch (error) {
      this.#downloads.delete(ref);
      starting.reject(error);
      throw error;
    }
  }

  /** Caches a blob that was read as a whole. */
  #keep(ref: BlobRef, bytes: Buffer): void {
    if (this.#downloads.has(ref)) return;
    const download = { bytes: Readable.from([bytes]), sizeBytes: bytes.length };
    const starting = this.#startWriting(ref, download).then((file) => {
      if (file === undefined) this.#downloads.delete(ref);
      return file;
    });
    this.#downloads.set(ref, starting);
  }

  /** Returns undefined if the blob is not to be cached. Nothing of it was read then. */
  async #startWriting(ref: BlobRef, download: BlobDownload): Promise<GrowingFile | undefined> {
    const { bytes, sizeBytes } = download;
    if (sizeBytes === undefined) return undefined;
    const newFile = await this.#createFile(ref, sizeBytes);
    if (newFile === undefined) return undefined;
    const writing = this.#write(ref, newFile, bytes).finally(() => {
      this.#writing.delete(writing);
      this.#downloads.delete(ref);
    });
    this.#writing.add(writing);
    return newFile.file;
  }

  async #createFile(ref: BlobRef, sizeBytes: number): Promise<NewFile | undefined> {
    try {
      const hasSpace = await this.#folder.freeSpace();
      return hasSpace ? await this.#folder.create(ref, sizeBytes) : undefined;
    } catch {
      // The blob is read without the cache.
      return undefined;
    }
  }

  async #write(ref: BlobRef, { file, keep, discard }: NewFile, bytes: Readable): Promise<void> {
    try {
      await file.write(ref, bytes);
      await (this.#downloads.has(ref) ? keep() : discard());
    } catch (error) {
      // Its readers have the error, or read the rest without the cache.
      if (error instanceof CacheFileError && isDiskFull(error.cause)) this.#folder.clear();
      await discard().catch(() => undefined);
    }
  }

  #createReader(ref: BlobRef, file: GrowingFile): Readable {
    const readRest = async (start: number) => {
      const rest = await this.#inner.open(ref, { start, end: file.sizeBytes - 1 });
      if (rest === undefined) throw new Error(`The blob ${ref} was removed.`);
      return rest;
    };
    return Readable.from(file.read(readRest), { objectMode: false });
  }
}
