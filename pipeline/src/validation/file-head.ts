/** The start of a file, by which its format is detected. */
export type FileHead = {
  /** The first bytes: 64 KiB are enough for all formats, 512 for most. */
  bytes: Buffer;
  /** The same bytes as Latin-1, without a byte order mark. */
  text: string;
  /** The size of the whole file. */
  sizeBytes: number;
};

/**
 * What a format was recognized by: magic bytes, the size of the file, the word at its start, its
 * columns, a tag somewhere in the head, a statement after comments, or only a header that may be one.
 */
export type SniffEvidence =
  | 'signature'
  | 'size'
  | 'keyword'
  | 'columns'
  | 'tag'
  | 'statement'
  | 'plausible';

/** The byte order mark of UTF-8, as Latin-1. */
export const BYTE_ORDER_MARK = '\xef\xbb\xbf';

/** Creates the head of a file from its first bytes. */
export function createFileHead(bytes: Buffer, sizeBytes: number): FileHead {
  return { bytes, text: withoutByteOrderMark(bytes.toString('latin1')), sizeBytes };
}

/** Removes the byte order mark from the start of a text that was read as Latin-1. */
export function withoutByteOrderMark(latin1: string): string {
  return latin1.startsWith(BYTE_ORDER_MARK) ? latin1.slice(BYTE_ORDER_MARK.length) : latin1;
}

/** Whether a file starts with these magic bytes, written as Latin-1. */
export function hasSignature({ bytes }: FileHead, signature: string): boolean {
  return bytes.toString('latin1', 0, signature.length) === signature;
}
