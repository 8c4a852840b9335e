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

const BYTE_ORDER_MARK = '\xef\xbb\xbf';

/** Creates the head of a file from its first bytes. */
export function createFileHead(bytes: Buffer, sizeBytes: number): FileHead {
  const latin1 = bytes.toString('latin1');
  const text = latin1.startsWith(BYTE_ORDER_MARK) ? latin1.slice(BYTE_ORDER_MARK.length) : latin1;
  return { bytes, text, sizeBytes };
}

/** Whether a file starts with these magic bytes, written as Latin-1. */
export function hasSignature({ bytes }: FileHead, signature: string): boolean {
  return bytes.toString('latin1', 0, signature.length) === signature;
}
