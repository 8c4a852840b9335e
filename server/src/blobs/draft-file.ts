import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { createDirectory } from '../disk/create-directory.ts';
import { isDiskFull } from '../disk/disk-reserve.ts';
import { type BlobRef, createFileTooLargeError, type Draft, type FileDraft } from './blob-store.ts';
import type { RetainedBlobs } from './retained-blobs.ts';

export type DraftFileOptions = {
  /** The directory of the drafts. */
  directory: string;
  bytes: AsyncIterable<Uint8Array>;
  maxBytes: number;
  retained: RetainedBlobs;
  /** Stores the file as a blob. The blob is retained until the draft is disposed. */
  commit(draft: Pick<Draft, 'ref' | 'sizeBytes' | 'path'>, generation: number): Promise<void>;
};

/** Creates the directory of the drafts, and deletes drafts left by a crash. */
export async function openDraftDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await createDirectory(path);
}

/**
 * Writes bytes to a draft in a local file. If it throws, there is no file.
 *
 * @throws {Problem} design.too-large, server.storage-full
 */
export async function createDraftFile({
  directory,
  bytes,
  maxBytes,
  retained,
  commit,
}: DraftFileOptions): Promise<FileDraft> {
  const path = join(directory, randomUUID());
  try {
    const { ref, sizeBytes } = await writeDraft(path, bytes, maxBytes);
    const retain = new DisposableStack();
    return {
      ref,
      sizeBytes,
      path,
      commit: (generation = 0) => {
        retain.use(retained.retain(ref));
        return commit({ ref, sizeBytes, path }, generation);
      },
      // Only this process removes files of the store.
      assertRetained: async () => {},
      [Symbol.asyncDispose]: async () => {
        await rm(path, { force: true });
        retain.dispose();
      },
    };
  } catch (error) {
    await rm(path, { force: true });
    throwStorageError(error);
  }
}

/** Writes bytes to a new file and syncs it. Returns their SHA-256 and number. */
async function writeDraft(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ ref: BlobRef; sizeBytes: number }> {
  await using file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw createFileTooLargeError(maxBytes);
    hash.update(chunk);
    await writeAll(file, chunk);
  }
  await file.sync();
  return { ref: hash.digest('hex') as BlobRef, sizeBytes };
}

/** Writes a whole chunk at the end of what was written. */
export async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.length; ) {
    offset += (await file.write(chunk, offset)).bytesWritten;
  }
}

/** @throws {Problem} server.storage-full, if the error is that of a full disk; otherwise the error itself */
export function throwStorageError(error: unknown): never {
  if (!isDiskFull(error)) throw error;
  throw new Problem('server.storage-full', { cause: error });
}
