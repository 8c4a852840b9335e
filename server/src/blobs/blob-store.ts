import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import type { Transaction } from '../database/database.ts';

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
  /**
   * Call this in the transaction that adds the row that references the blob, after its other steps: until it ends, no node
   * removes the blob.
   * @throws {Problem} server.unavailable, if another node may have removed it since `commit`, because this one was suspended
   */
  assertRetained(trx: Transaction): Promise<void>;
}

/** A range of bytes of a blob. Both ends are included. */
export type BlobRange = { start: number; end: number };

/** A blob in a list, and when it was last stored. */
export type StoredBlob = { ref: BlobRef; storedAt: Date; sizeBytes: number };

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

  /** Lists all blobs. */
  list(): AsyncIterable<StoredBlob>;
}

/**
 * One of the files, or objects, that have the bytes of a blob. Almost every blob has only that of generation 0, whose name is
 * the reference: docs/decisions/0081-removals-of-unknown-outcome.md.
 */
export type BlobFile = { generation: number; storedAt: Date; sizeBytes: number };

/** A draft whose bytes are stored as the file of a generation. */
export interface FileDraft extends Draft {
  /** @param generation 0 if it is left out. A file of that generation that exists is not stored again, or replaced */
  commit(generation?: number): Promise<void>;
}

/**
 * A store that can have several files with the bytes of a blob. All reading operations find any of them; `remove` deletes all.
 * So a removal of unknown outcome cannot delete bytes that were stored again: they are in a file of another generation.
 */
export interface FileBlobStore extends BlobStore {
  createDraft(bytes: AsyncIterable<Uint8Array>, options: { maxBytes: number }): Promise<FileDraft>;

  /** Lists the files of a blob. */
  findFiles(ref: BlobRef): Promise<BlobFile[]>;

  /**
   * Deletes one file of a blob, whatever the store knows of drafts. Deleting one that does not exist is not an error. Returns
   * whether the removal has ended: otherwise, and after an error, it may still be executed at any time.
   */
  removeFile(ref: BlobRef, generation: number): Promise<boolean>;
}

/** The bytes of a blob on their way from another machine, and their number, if that machine sends it before them. */
export type BlobDownload = { bytes: Readable; sizeBytes: number | undefined };

/** A store on another machine: reading a blob takes longer than reading a local file. */
export interface RemoteBlobStore extends FileBlobStore {
  /** Like `open`, for a whole blob, with its size. */
  download(ref: BlobRef): Promise<BlobDownload | undefined>;
}

/** Parses a blob reference. Returns undefined if the text is not a SHA-256 in hexadecimal. */
export function toBlobRef(text: string): BlobRef | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as BlobRef) : undefined;
}

/** Creates the problem of a file with more than `maxBytes`. */
export function createFileTooLargeError(maxBytes: number): Problem {
  const megabytes = (maxBytes / 1024 ** 2).toLocaleString('en', { maximumSignificantDigits: 4 });
  return new Problem('design.too-large', {
    detail: `The file is larger than ${megabytes} MB. Make it smaller, or ask the operator to raise CLOCHE_MAX_UPLOAD_MB.`,
  });
}
