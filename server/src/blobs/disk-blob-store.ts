import { randomUUID } from 'node:crypto';
import { renameSync, statSync, unlinkSync } from 'node:fs';
import { constants, copyFile, opendir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDirectory } from '../disk/create-directory.ts';
import { isDiskFull } from '../disk/disk-reserve.ts';
import { syncDirectory } from '../disk/durable-files.ts';
import {
  type BlobRange,
  type BlobRef,
  type BlobStore,
  type Draft,
  toBlobRef,
} from './blob-store.ts';
import { createDraftFile, openDraftDirectory, throwStorageError } from './draft-file.ts';
import { FileStream } from './file-stream.ts';
import { RetainedBlobs } from './retained-blobs.ts';

/**
 * Stores blobs as files named by their SHA-256, in subdirectories named by its first two digits.
 *
 * A committed blob survives a power failure because of this order: write the draft, sync it, rename
 * it, sync the directory.
 */
export class DiskBlobStore implements BlobStore {
  readonly #blobDirectory: string;
  readonly #draftDirectory: string;
  readonly #retained = new RetainedBlobs();

  private constructor(directory: string, draftDirectory: string) {
    this.#blobDirectory = join(directory, 'sha256');
    this.#draftDirectory = draftDirectory;
  }

  /**
   * Opens the directory, and deletes drafts left by a crash.
   *
   * @param draftFolder in the directory, for the drafts of this process only
   */
  static async open(directory: string, draftFolder = 'drafts'): Promise<DiskBlobStore> {
    const blobs = new DiskBlobStore(directory, join(directory, draftFolder));
    await openDraftDirectory(blobs.#draftDirectory);
    await createDirectory(blobs.#blobDirectory);
    await syncDirectory(directory);
    await syncDirectory(join(directory, '..'));
    return blobs;
  }

  createDraft(
    bytes: AsyncIterable<Uint8Array>,
    { maxBytes }: { maxBytes: number },
  ): Promise<Draft> {
    return createDraftFile({
      directory: this.#draftDirectory,
      bytes,
      maxBytes,
      retained: this.#retained,
      commit: ({ path, ref }) => this.#commit(path, ref).catch(throwStorageError),
    });
  }

  async open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined> {
    return FileStream.open(this.#toPath(ref), range).catch(ignoreNotFound);
  }

  async read(ref: BlobRef): Promise<Buffer | undefined> {
    return readFile(this.#toPath(ref)).catch(ignoreNotFound);
  }

  async copyToFile(ref: BlobRef, path: string): Promise<boolean> {
    try {
      await copyFile(this.#toPath(ref), path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
    } catch (error) {
      const { code, path: missing } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && missing === this.#toPath(ref)) return false;
      throwStorageError(error);
    }
  }

  async remove(ref: BlobRef, storedBefore?: Date): Promise<boolean> {
    const path = this.#toPath(ref);
    const removedPath = join(this.#draftDirectory, randomUUID());
    // Synchronous, so that the same bytes cannot be committed between the check and the rename.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || this.#retained.has(ref)) return false;
    if (storedBefore !== undefined && stats.mtime >= storedBefore) return false;
    try {
      renameSync(path, removedPath);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      // A rename may need space in the other directory. This may block for longer.
      unlinkSync(path);
    }
    await rm(removedPath, { force: true });
    return true;
  }

  async *list(): AsyncIterable<{ ref: BlobRef; storedAt: Date }> {
    for await (const subdirectory of await opendir(this.#blobDirectory)) {
      if (!subdirectory.isDirectory()) continue;
      for await (const entry of await opendir(join(this.#blobDirectory, subdirectory.name))) {
        const ref = toBlobRef(entry.name);
        if (ref === undefined) continue;
        const stats = await stat(this.#toPath(ref)).catch(ignoreNotFound);
        if (stats !== undefined) yield { ref, storedAt: stats.mtime };
      }
    }
  }

  async #commit(draft: string, ref: BlobRef): Promise<void> {
    const path = this.#toPath(ref);
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

  #toPath(ref: BlobRef): string {
    return join(this.#blobDirectory, ref.slice(0, 2), ref);
  }
}

function ignoreNotFound(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
