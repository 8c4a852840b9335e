import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import {
  constants,
  copyFile,
  opendir,
  readdir,
  readFile,
  rm,
  stat,
  unlink,
  utimes,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDirectory } from '../disk/create-directory.ts';
import { isDiskFull } from '../disk/disk-reserve.ts';
import { syncDirectory } from '../disk/durable-files.ts';
import { BlobFileFinder, parseBlobFileName, summarizeFiles, toBlobFileName } from './blob-files.ts';
import type {
  BlobFile,
  BlobRange,
  BlobRef,
  FileBlobStore,
  FileDraft,
  StoredBlob,
} from './blob-store.ts';
import { deleteOldDrafts } from './delete-old-drafts.ts';
import { createDraftFile, openDraftDirectory, throwStorageError } from './draft-file.ts';
import { FileStream } from './file-stream.ts';
import { RetainedBlobs } from './retained-blobs.ts';

/**
 * Stores blobs as files named by their SHA-256, in subdirectories named by its first two digits.
 *
 * A committed blob survives a power failure because of this order: write the draft, sync it, rename
 * it, sync the directory.
 */
export class DiskBlobStore implements FileBlobStore {
  readonly #blobDirectory: string;
  readonly #draftDirectory: string;
  readonly #retained = new RetainedBlobs();
  readonly #finder = new BlobFileFinder();

  private constructor(directory: string, draftDirectory: string) {
    this.#blobDirectory = join(directory, 'sha256');
    this.#draftDirectory = draftDirectory;
  }

  /**
   * Opens the directory, and deletes drafts left by a crash, and old ones of other processes.
   *
   * @param draftFolder in the directory, for the drafts of this process only
   */
  static async open(directory: string, draftFolder = 'drafts'): Promise<DiskBlobStore> {
    const blobs = new DiskBlobStore(directory, join(directory, draftFolder));
    await openDraftDirectory(blobs.#draftDirectory);
    await deleteOldDrafts(directory, new Date());
    await createDirectory(blobs.#blobDirectory);
    await syncDirectory(directory);
    await syncDirectory(join(directory, '..'));
    return blobs;
  }

  /**
   * Opens the directory of a service that may be running, and changes nothing. Drafts are not possible. Blobs may be removed
   * if they were stored long ago.
   */
  static openExisting(directory: string): DiskBlobStore {
    return new DiskBlobStore(directory, directory);
  }

  createDraft(
    bytes: AsyncIterable<Uint8Array>,
    { maxBytes }: { maxBytes: number },
  ): Promise<FileDraft> {
    return createDraftFile({
      directory: this.#draftDirectory,
      bytes,
      maxBytes,
      retained: this.#retained,
      commit: ({ path, ref }, generation) =>
        this.#commit(path, this.#toPath(ref, generation)).catch(throwStorageError),
    });
  }

  open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined> {
    return this.#find(ref, (path) => FileStream.open(path, range).catch(ignoreNotFound));
  }

  read(ref: BlobRef): Promise<Buffer | undefined> {
    return this.#find(ref, (path) => readFile(path).catch(ignoreNotFound));
  }

  async copyToFile(ref: BlobRef, path: string): Promise<boolean> {
    return (await this.#find(ref, (source) => tryCopyFile(source, path))) ?? false;
  }

  async remove(ref: BlobRef, storedBefore?: Date): Promise<boolean> {
    // Synchronous, so that the same bytes cannot be committed between the check and the last rename.
    const paths = this.#listPaths(ref);
    const isOld = (path: string) =>
      storedBefore === undefined ||
      (statSync(path, { throwIfNoEntry: false })?.mtime.getTime() ?? 0) < storedBefore.getTime();
    if (paths.length === 0 || this.#retained.has(ref) || !paths.every(isOld)) return false;
    const removedPaths = paths.map((path) => this.#moveToDrafts(path, isOld));
    for (const path of removedPaths) if (path !== undefined) await rm(path, { force: true });
    return !removedPaths.includes(undefined);
  }

  async findFiles(ref: BlobRef): Promise<BlobFile[]> {
    const files = await this.#readFiles(ref.slice(0, 2), (found) => found === ref);
    return files.get(ref) ?? [];
  }

  async removeFile(ref: BlobRef, generation: number): Promise<boolean> {
    await unlink(this.#toPath(ref, generation)).catch(ignoreNotFound);
    return true;
  }

  async *list(): AsyncIterable<StoredBlob> {
    for await (const subdirectory of await opendir(this.#blobDirectory)) {
      if (!subdirectory.isDirectory()) continue;
      for (const [ref, files] of await this.#readFiles(subdirectory.name))
        yield { ref, ...summarizeFiles(files) };
    }
  }

  async #commit(draft: string, path: string): Promise<void> {
    const subdirectory = join(path, '..');
    await createDirectory(subdirectory);
    // If the blob exists and no row refers to it, the new time prevents its deletion.
    await utimes(draft, new Date(), new Date());
    // Synchronous, see `remove`.
    renameSync(draft, path);
    await syncDirectory(subdirectory);
    // Always sync: a concurrent writer may have created the subdirectory but not synced it yet.
    await syncDirectory(this.#blobDirectory);
  }

  #find<T>(ref: BlobRef, open: (path: string) => Promise<T | undefined>): Promise<T | undefined> {
    return this.#finder.find(
      ref,
      (generation) => open(this.#toPath(ref, generation)),
      () => this.findFiles(ref),
    );
  }

  /** Reads the files of the blobs of a subdirectory. */
  async #readFiles(subdirectory: string, isWanted: (ref: BlobRef) => boolean = () => true) {
    const files = new Map<BlobRef, BlobFile[]>();
    const directory = join(this.#blobDirectory, subdirectory);
    for (const name of (await readdir(directory).catch(ignoreNotFound)) ?? []) {
      const parsed = parseBlobFileName(name);
      if (parsed === undefined || !isWanted(parsed.ref)) continue;
      const stats = await stat(join(directory, name)).catch(ignoreNotFound);
      if (stats === undefined) continue;
      const { ref, generation } = parsed;
      const file = { generation, storedAt: stats.mtime, sizeBytes: stats.size };
      files.set(ref, [...(files.get(ref) ?? []), file]);
    }
    return files;
  }

  /** Lists the paths of the files of a blob. This blocks. */
  #listPaths(ref: BlobRef): string[] {
    const directory = join(this.#blobDirectory, ref.slice(0, 2));
    try {
      const names = readdirSync(directory).filter((name) => parseBlobFileName(name)?.ref === ref);
      return names.map((name) => join(directory, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return [];
    }
  }

  /** Returns the new path, or undefined if another process has stored the same bytes since the check. */
  #moveToDrafts(path: string, isOld: (path: string) => boolean): string | undefined {
    const removedPath = join(this.#draftDirectory, randomUUID());
    try {
      renameSync(path, removedPath);
      if (isOld(removedPath)) return removedPath;
      renameSync(removedPath, path);
      return undefined;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      // A rename may need space in the other directory. This may block for longer.
      unlinkSync(path);
      return removedPath;
    }
  }

  #toPath(ref: BlobRef, generation: number): string {
    return join(this.#blobDirectory, ref.slice(0, 2), toBlobFileName(ref, generation));
  }
}

/** Returns undefined if there is no such file. */
async function tryCopyFile(source: string, path: string): Promise<true | undefined> {
  try {
    await copyFile(source, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    const { code, path: missing } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && missing === source) return undefined;
    throwStorageError(error);
  }
}

function ignoreNotFound(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
