import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';

/** The address of a blob: the SHA-256 of its bytes, hex. Equal bytes have equal addresses. */
export type BlobRef = string & { readonly blob: unique symbol };

/** Bytes that have arrived but are not kept yet. Disposing drops them, unless they were kept. */
export interface Draft extends AsyncDisposable {
  readonly ref: BlobRef;
  readonly sizeBytes: number;
  /** A file of this machine with the bytes, until the draft is kept or disposed. */
  readonly path: string;
  /**
   * Makes the bytes a blob that survives a power cut.
   * @throws {Problem} server.storage-full
   */
  commit(): Promise<void>;
}

/** A part of a blob, both ends included. */
export type BlobRange = { start: number; end: number };

/** Where bytes are kept. Blobs never change, so they may be cached for ever. */
export interface BlobStore {
  /**
   * Reads `bytes` to the end into a draft. When it throws, nothing is left behind.
   * @throws {Problem} design.too-large, as soon as `maxBytes` is passed
   * @throws {Problem} server.storage-full
   */
  createDraft(bytes: AsyncIterable<Uint8Array>, options: { maxBytes: number }): Promise<Draft>;

  /** The blob's bytes, or undefined when there is none. */
  open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined>;

  /** The whole of a small blob, at once if it was asked for lately; undefined when there is none. */
  read(ref: BlobRef): Buffer | undefined | Promise<Buffer | undefined>;

  /**
   * Writes the blob's bytes into a new file of this machine; false when there is no such blob.
   * @throws {Problem} server.storage-full
   */
  copyToFile(ref: BlobRef, path: string): Promise<boolean>;

  /**
   * Forgets the blob, unless it was kept at `keptBefore` or later; says whether it did. Forgetting what
   * is not there is fine.
   */
  remove(ref: BlobRef, keptBefore?: Date): Promise<boolean>;

  /** Every blob, and when it was last kept. */
  list(): AsyncIterable<{ ref: BlobRef; keptAt: Date }>;
}

/** Reads an address out of a path or a row; undefined when it is none. */
export function toBlobRef(text: string): BlobRef | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as BlobRef) : undefined;
}

/** The answer to an upload past the limit, wherever it is noticed. */
export function fileTooLargeError(maxBytes: number): Problem {
  return new Problem('design.too-large', {
    detail: `The file has more than ${maxBytes} bytes. Make it smaller, or ask the operator to raise CLOCHE_MAX_UPLOAD_MB.`,
  });
}
