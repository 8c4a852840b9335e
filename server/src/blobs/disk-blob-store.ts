import { createHash, randomUUID } from 'node:crypto';
import { renameSync, statSync } from 'node:fs';
import {
  constants,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  opendir,
  readFile,
  rm,
  stat,
  utimes,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import { BlobCache } from './blob-cache.ts';
import {
  type BlobRange,
  type BlobRef,
  type BlobStore,
  type Draft,
  fileTooLargeError,
  toBlobRef,
} from './blob-store.ts';

/**
 * Blobs as files of a folder, two levels deep. The order that loses nothing: write a draft, fsync
 * it, rename it to its address, fsync the folder.
 */
export class DiskBlobStore implements BlobStore {
  readonly #blobDirectory: string;
  readonly #draftDirectory: string;
  readonly #cache = new BlobCache();

  private constructor(folder: string) {
    this.#blobDirectory = join(folder, 'kept');
    this.#draftDirectory = join(folder, 'drafts');
  }

  /** Opens the folder, and throws away drafts that a crash left behind. */
  static async open(folder: string): Promise<DiskBlobStore> {
    const blobs = new DiskBlobStore(folder);
    await rm(blobs.#draftDirectory, { recursive: true, force: true });
    await mkdir(blobs.#draftDirectory, { recursive: true });
    await mkdir(blobs.#blobDirectory, { recursive: true });
    await syncDirectory(folder);
    await syncDirectory(join(folder, '..'));
    return blobs;
  }

  async createDraft(
    bytes: AsyncIterable<Uint8Array>,
    limits: { maxBytes: number },
  ): Promise<Draft> {
    const path = join(this.#draftDirectory, randomUUID());
    try {
      const { ref, sizeBytes } = await writeDraft(path, bytes, limits.maxBytes);
      return {
        ref,
        sizeBytes,
        path,
        commit: () => this.#commit(path, ref).catch(throwStorageError),
        [Symbol.asyncDispose]: () => rm(path, { force: true }),
      };
    } catch (error) {
      await rm(path, { force: true });
      throwStorageError(error);
    }
  }

  async open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined> {
    const file = await open(this.#toPath(ref)).catch(ignoreNotFound);
    return file?.createReadStream({ ...range, highWaterMark: 256 * 1024 });
  }

  read(ref: BlobRef): Buffer | Promise<Buffer | undefined> {
    return this.#cache.get(ref) ?? this.#readFile(ref);
  }

  async #readFile(ref: BlobRef): Promise<Buffer | undefined> {
    const bytes = await readFile(this.#toPath(ref)).catch(ignoreNotFound);
    if (bytes !== undefined) this.#cache.set(ref, bytes);
    return bytes;
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

  async remove(ref: BlobRef, keptBefore?: Date): Promise<boolean> {
    const path = this.#toPath(ref);
    const gone = join(this.#draftDirectory, randomUUID());
    // Without a pause between look and move, in which the same bytes could be kept once more.
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return false;
    if (keptBefore !== undefined && facts.mtime >= keptBefore) return false;
    renameSync(path, gone);
    this.#cache.delete(ref);
    await rm(gone, { force: true });
    return true;
  }

  async *list(): AsyncIterable<{ ref: BlobRef; keptAt: Date }> {
    for await (const shelf of await opendir(this.#blobDirectory)) {
      if (!shelf.isDirectory()) continue;
      for await (const entry of await opendir(join(this.#blobDirectory, shelf.name))) {
        const ref = toBlobRef(entry.name);
        if (ref === undefined) continue;
        const facts = await stat(this.#toPath(ref)).catch(ignoreNotFound);
        if (facts !== undefined) yield { ref, keptAt: facts.mtime };
      }
    }
  }

  async #commit(draft: string, ref: BlobRef): Promise<void> {
    const path = this.#toPath(ref);
    const shelf = join(path, '..');
    await mkdir(shelf, { recursive: true });
    // The same bytes may lie here for long: a fresh time keeps the sweep away from them.
    await utimes(draft, new Date(), new Date());
    // At once, see `remove`.
    renameSync(draft, path);
    await syncDirectory(shelf);
    // Each time: whoever made the shelf may not have come to this yet.
    await syncDirectory(this.#blobDirectory);
  }

  #toPath(ref: BlobRef): string {
    return join(this.#blobDirectory, ref.slice(0, 2), ref);
  }
}

async function writeDraft(path: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number) {
  await using file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw fileTooLargeError(maxBytes);
    hash.update(chunk);
    await writeAll(file, chunk);
  }
  await file.sync();
  return { ref: hash.digest('hex') as BlobRef, sizeBytes };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    done += (await file.write(chunk, done)).bytesWritten;
  }
}

async function syncDirectory(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

function throwStorageError(error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
  throw new Problem('server.storage-full', { cause: error });
}

function ignoreNotFound(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
