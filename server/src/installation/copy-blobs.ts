import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import type { BlobRef, FileBlobStore } from '../blobs/blob-store.ts';
import type { BlobSizes } from './blob-list.ts';
import { type BlobDefect, findBlobDefect, type OnProgress } from './check-blobs.ts';
import { describeReadError } from './describe-read-error.ts';
import { InstallationError } from './installation-error.ts';
import { runConcurrently } from './run-concurrently.ts';

const CONCURRENCY = 8;

type CopyBlobsOptions = {
  sizes: BlobSizes;
  open: (ref: BlobRef) => Promise<Readable | undefined>;
  target: CopyTarget;
  /** Blobs of the target, with their sizes. One that has the expected size and SHA-256 is not copied. */
  existing: BlobSizes;
  /** Of blobs whose files of other generations may be removed at any time: copied even if the target has such a file. */
  generations?: ReadonlyMap<BlobRef, number>;
  onProgress: OnProgress;
};
type CopyTarget = Pick<FileBlobStore, 'createDraft' | 'open'>;

/** What was copied, and which blobs could not be. */
export type CopiedBlobs = { count: number; bytes: number; defects: BlobDefect[] };

/** Copies the blobs that the target does not have. Only bytes with the right hash are stored. */
export async function copyBlobs({
  sizes,
  open,
  target,
  existing,
  generations = new Map(),
  onProgress,
}: CopyBlobsOptions): Promise<CopiedBlobs> {
  const copied: CopiedBlobs = { count: 0, bytes: 0, defects: [] };
  let done = 0;
  await runConcurrently(sizes, CONCURRENCY, async ([ref, sizeBytes]) => {
    const generation = generations.get(ref) ?? 0;
    const isThere =
      generation === 0 &&
      existing.get(ref) === sizeBytes &&
      (await findBlobDefect(ref, sizeBytes, (name) => target.open(name))) === undefined;
    if (!isThere) {
      const reason = await copyBlob({ ref, sizeBytes, generation }, open, target);
      if (reason !== undefined) copied.defects.push({ ref, reason });
      else {
        copied.count += 1;
        copied.bytes += sizeBytes;
      }
    }
    done += 1;
    onProgress('files copied', done, sizes.size);
  });
  return copied;
}

/** Returns why the blob could not be copied, or undefined. */
async function copyBlob(
  { ref, sizeBytes, generation }: { ref: BlobRef; sizeBytes: number; generation: number },
  open: CopyBlobsOptions['open'],
  target: CopyTarget,
): Promise<string | undefined> {
  let stream: Readable | undefined;
  try {
    stream = await open(ref).catch(throwReadError);
    if (stream === undefined) return 'is missing';
    await using draft = await target.createDraft(readBytes(stream), { maxBytes: sizeBytes });
    if (draft.sizeBytes !== sizeBytes)
      return `has ${draft.sizeBytes} bytes instead of ${sizeBytes}`;
    if (draft.ref !== ref) return 'has other bytes: its SHA-256 is different';
    await draft.commit(generation);
    return undefined;
  } catch (error) {
    if (error instanceof BlobReadError) return error.message;
    if (error instanceof Problem && error.code === 'design.too-large')
      return `has more than ${sizeBytes} bytes`;
    throw toWriteError(error);
  } finally {
    stream?.destroy();
  }
}

/** The bytes of a blob cannot be read. All other errors are those of the target. */
class BlobReadError extends Error {
  override readonly name = 'BlobReadError';
}

async function* readBytes(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throwReadError(error);
  }
}

function throwReadError(error: unknown): never {
  throw new BlobReadError(describeReadError(error), { cause: error });
}

function toWriteError(error: unknown): unknown {
  const { code, syscall, path = '' } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  return new InstallationError(
    `A file cannot be written (${code}, ${syscall} ${path}). Check the disk and the permissions, and run it again.`,
    { cause: error },
  );
}
