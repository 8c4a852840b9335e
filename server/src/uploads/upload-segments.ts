/**
 * Bytes of an upload that one request has received. A segment is written by the request that created it, and by no
 * other one: its name is random. So whatever a request still writes after it has lost its lease, it changes no byte that
 * another one has acknowledged.
 */
export type Segment = {
  /** The name of its file or object. */
  name: string;
  /** The offset of its first byte in the upload. */
  start: number;
  sizeBytes: number;
};

/** Writes the bytes that one request receives. */
export interface SegmentWriter extends AsyncDisposable {
  /** Adds bytes. They are stored by the next `flush`. */
  append(chunk: Uint8Array): Promise<void>;
  /**
   * Stores all bytes added so far, so that they survive a power failure. Returns the segment that they are in: the same one as
   * before, which is longer now, or another one. Undefined if no bytes were added since the last call.
   */
  flush(): Promise<Segment | undefined>;
}

/** Stores the bytes of uploads. The database knows which segments an upload consists of. */
export interface UploadSegments {
  /** Bytes that are not stored yet are stored after so many of them, and after so much time. */
  readonly flushAfter: { bytes: number; ms: number };

  /** @param offset where in the upload the bytes begin */
  createWriter(uploadId: string, offset: number): SegmentWriter;

  /**
   * Reads segments, one after the other.
   *
   * @throws {MissingSegmentError}
   */
  read(uploadId: string, segments: readonly Segment[]): AsyncIterable<Uint8Array>;

  /** Deletes all segments of an upload. Not an error if there are none. */
  removeAll(uploadId: string): Promise<void>;

  /** Lists the uploads with segments. */
  listUploadIds(): AsyncIterable<string>;
}

/** A segment does not exist, or is too short: the upload was removed or completed meanwhile, or its files were lost. */
export class MissingSegmentError extends Error {
  constructor(uploadId: string, { name }: Segment, options?: ErrorOptions) {
    super(`The segment ${name} of the upload ${uploadId} is missing.`, options);
  }
}

/** Counts the bytes of a segment while they are read. @throws {MissingSegmentError} if there are not enough */
export async function* assertSegmentSize(
  uploadId: string,
  segment: Segment,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    yield chunk;
  }
  if (sizeBytes !== segment.sizeBytes) throw new MissingSegmentError(uploadId, segment);
}

const UPLOAD_ID_PATTERN = /^[0-9a-f]{32}$/;

export function isUploadId(text: string): boolean {
  return UPLOAD_ID_PATTERN.test(text);
}
