import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';

/** The reference to a blob: the SHA-256 of its bytes, hex. Equal bytes have the same reference. */
export type BlobRef = string & { readonly blob: unique symbol };

/**
 * Bytes that were received but are not a blob yet. Disposing a draft deletes it, unless it was committed. A
 * draft that was committed is disposed after the row that references the blob is written.
 */
export interface Draft extends AsyncDisposable {
  readonly ref: BlobRef;
  readonly sizeBytes: number;
  /** A local file with the bytes, until the draft is committed or disposed. */
  readonly path: string;
  /**
   * Stores the bytes as a blob that survives a power failure.
   * @throws {Problem} server.storage-full
   */
  commit(): Promise<void>;
}

/** A range of bytes of a blob. Both ends are included. */
export type BlobRange = { start: number; end: number };

/** Stores bytes under their SHA-256. Blobs never change, so they may be cached forever. */
export interface BlobStore {
  /**
   * Reads `bytes` to the end into a draft. If it throws, nothing is stored.
   * @throws {Problem} design.too-large, as soon as there are more than `maxBytes`
   * @throws {Problem} server.storage-full
   */
  createDraft(bytes: AsyncIterable<Uint8Array>, options: { maxBytes: number }): Promise<Draft>;

  /** Opens a blob, or a range of it, for reading. Returns undefined if there is no such blob. */
  open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined>;

  /** Reads a whole blob into memory. For small blobs. Returns undefined if there is no such blob. */
  read(ref: BlobRef): Promise<Buffer | undefined>;

  /**
   * Writes a blob to a new local file. Returns false if there is no such blob.
   * @throws {Problem} server.storage-full
   */
  copyToFile(ref: BlobRef, path: string): Promise<boolean>;

  /**
   * Deletes a blob, unless it was stored at `storedBefore` or later, or a committed draft of the same bytes
   * is not disposed yet: a row may be about to reference it. Returns whether it was deleted. Deleting a
   * blob that does not exist is not an error.
   */
  remove(ref: BlobRef, storedBefore?: Date): Promise<boolean>;

  /** Lists all blobs with the time each was last stored. */
  list(): AsyncIterable<{ ref: BlobRef; storedAt: Date }>;
}

/** Parses a blob reference. Returns undefined if the text is not a SHA-256 in hexadecimal. */
export function toBlobRef(text: string): BlobRef | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as BlobRef) : undefined;
}

/** Creates the problem of a file with more than `maxBytes`. */
export function createFileTooLargeError(maxBytes: number): Problem {
  return new Problem('design.too-large', {
    detail: `The file has more than ${maxBytes} bytes. Make it smaller, or ask the operator to raise CLOCHE_MAX_UPLOAD_MB.`,
  });
}
