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
import { asBlobRef, type BlobRef, type Blobs, type Draft, type Range, tooLarge } from './blobs.ts';
import { RecentBlobs } from './recent.ts';

/**
 * Blobs as files of a folder, two levels deep. The order that loses nothing: write a draft, fsync
 * it, rename it to its address, fsync the folder.
 */
export class DiskBlobs implements Blobs {
  readonly #kept: string;
  readonly #drafts: string;
  readonly #recent = new RecentBlobs();

  private constructor(folder: string) {
    this.#kept = join(folder, 'kept');
    this.#drafts = join(folder, 'drafts');
  }

  /** Opens the folder, and throws away drafts that a crash left behind. */
  static async open(folder: string): Promise<DiskBlobs> {
    const blobs = new DiskBlobs(folder);
    await rm(blobs.#drafts, { recursive: true, force: true });
    await mkdir(blobs.#drafts, { recursive: true });
    await mkdir(blobs.#kept, { recursive: true });
    await syncFolder(folder);
    await syncFolder(join(folder, '..'));
    return blobs;
  }

  async draft(bytes: AsyncIterable<Uint8Array>, limits: { maxBytes: number }): Promise<Draft> {
    const path = join(this.#drafts, randomUUID());
    try {
      const { ref, sizeBytes } = await write(path, bytes, limits.maxBytes);
      return {
        ref,
        sizeBytes,
        path,
        keep: () => this.#keep(path, ref).catch(throwFull),
        [Symbol.asyncDispose]: () => rm(path, { force: true }),
      };
    } catch (error) {
      await rm(path, { force: true });
      throwFull(error);
    }
  }

  async open(ref: BlobRef, range?: Range): Promise<Readable | undefined> {
    const file = await open(this.#pathOf(ref)).catch(ignoreAbsence);
    return file?.createReadStream({ ...range, highWaterMark: 256 * 1024 });
  }

  read(ref: BlobRef): Buffer | Promise<Buffer | undefined> {
    return this.#recent.get(ref) ?? this.#readFile(ref);
  }

  async #readFile(ref: BlobRef): Promise<Buffer | undefined> {
    const bytes = await readFile(this.#pathOf(ref)).catch(ignoreAbsence);
    if (bytes !== undefined) this.#recent.put(ref, bytes);
    return bytes;
  }

  async copy(ref: BlobRef, path: string): Promise<boolean> {
    try {
      await copyFile(this.#pathOf(ref), path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
    } catch (error) {
      const { code, path: missing } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && missing === this.#pathOf(ref)) return false;
      throwFull(error);
    }
  }

  async remove(ref: BlobRef, keptBefore?: Date): Promise<boolean> {
    const path = this.#pathOf(ref);
    const gone = join(this.#drafts, randomUUID());
    // Without a pause between look and move, in which the same bytes could be kept once more.
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return false;
    if (keptBefore !== undefined && facts.mtime >= keptBefore) return false;
    renameSync(path, gone);
    this.#recent.drop(ref);
    await rm(gone, { force: true });
    return true;
  }

  async *list(): AsyncIterable<{ ref: BlobRef; keptAt: Date }> {
    for await (const shelf of await opendir(this.#kept)) {
      if (!shelf.isDirectory()) continue;
      for await (const entry of await opendir(join(this.#kept, shelf.name))) {
        const ref = asBlobRef(entry.name);
        if (ref === undefined) continue;
        const facts = await stat(this.#pathOf(ref)).catch(ignoreAbsence);
        if (facts !== undefined) yield { ref, keptAt: facts.mtime };
      }
    }
  }

  async #keep(draft: string, ref: BlobRef): Promise<void> {
    const path = this.#pathOf(ref);
    const shelf = join(path, '..');
    await mkdir(shelf, { recursive: true });
    // The same bytes may lie here for long: a fresh time keeps the sweep away from them.
    await utimes(draft, new Date(), new Date());
    // At once, see `remove`.
    renameSync(draft, path);
    await syncFolder(shelf);
    // Each time: whoever made the shelf may not have come to this yet.
    await syncFolder(this.#kept);
  }

  #pathOf(ref: BlobRef): string {
    return join(this.#kept, ref.slice(0, 2), ref);
  }
}

async function write(path: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number) {
  await using file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
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

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

function throwFull(error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
  throw new Problem('server.storage-full', { cause: error });
}

function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
