import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { BlobSizes } from './blob-list.ts';
import { describeReadError } from './describe-read-error.ts';
import { runConcurrently } from './run-concurrently.ts';

const CONCURRENCY = 8;

/** Why a blob cannot be used. */
export type BlobDefect = { ref: BlobRef; reason: string };

/** Reports progress: `step` has come to `done` of `total`. */
export type OnProgress = (step: string, done: number, total: number) => void;

type OpenBlob = (ref: BlobRef) => Promise<Readable | undefined>;

/** Reads all blobs, and returns those that are missing or whose bytes are not those of their reference. */
export async function checkBlobs(
  sizes: BlobSizes,
  open: OpenBlob,
  onProgress: OnProgress,
  step = 'files checked',
): Promise<BlobDefect[]> {
  const defects: BlobDefect[] = [];
  let done = 0;
  await runConcurrently(sizes, CONCURRENCY, async ([ref, sizeBytes]) => {
    const reason = await findBlobDefect(ref, sizeBytes, open);
    if (reason !== undefined) defects.push({ ref, reason });
    done += 1;
    onProgress(step, done, sizes.size);
  });
  return defects;
}

/** Returns what is wrong with a blob, or undefined. */
export function findBlobDefect(
  ref: BlobRef,
  sizeBytes: number,
  open: OpenBlob,
): Promise<string | undefined> {
  return readBlob(ref, sizeBytes, open).catch(describeReadError);
}

async function readBlob(
  ref: BlobRef,
  sizeBytes: number,
  open: OpenBlob,
): Promise<string | undefined> {
  const stream = await open(ref);
  if (stream === undefined) return 'is missing';
  const hash = createHash('sha256');
  let readBytes = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    readBytes += chunk.length;
    // A file that is much larger is not read to its end.
    if (readBytes > sizeBytes) return `has more than ${sizeBytes} bytes`;
    hash.update(chunk);
  }
  if (readBytes < sizeBytes) return `has ${readBytes} bytes instead of ${sizeBytes}`;
  return hash.digest('hex') === ref ? undefined : 'has other bytes: its SHA-256 is different';
}
