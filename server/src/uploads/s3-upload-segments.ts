import { createHash, randomUUID } from 'node:crypto';
import { S3Bucket } from '../blobs/s3-bucket.ts';
import { convertS3Errors, throwS3Error } from '../blobs/s3-errors.ts';
import type { S3Settings } from '../blobs/s3-settings.ts';
import {
  assertSegmentSize,
  isUploadId,
  MissingSegmentError,
  type Segment,
  type SegmentWriter,
  type UploadSegments,
} from './upload-segments.ts';

const PREFIX = 'uploads/';

/** Stores the bytes of uploads as objects of an S3 bucket. No object is ever changed. */
export class S3UploadSegments implements UploadSegments, Disposable {
  /** The bytes of each upload that are not stored yet are in memory. */
  readonly flushAfter = { bytes: 8 * 1024 ** 2, ms: 5000 };
  readonly #bucket: S3Bucket;

  constructor(settings: S3Settings) {
    this.#bucket = new S3Bucket(settings);
  }

  createWriter(uploadId: string, offset: number): SegmentWriter {
    return new SegmentObjectWriter(this.#bucket, uploadId, offset);
  }

  async *read(uploadId: string, segments: readonly Segment[]): AsyncGenerator<Uint8Array> {
    for (const segment of segments) {
      const key = toKey(uploadId, segment.name);
      const object = await this.#bucket.get(key).catch(throwS3Error);
      if (object === undefined) throw new MissingSegmentError(uploadId, segment);
      yield* assertSegmentSize(uploadId, segment, convertS3Errors(object.bytes));
    }
  }

  async removeAll(uploadId: string): Promise<void> {
    try {
      for await (const { key } of this.#bucket.list(toKey(uploadId, '')))
        await this.#bucket.delete(key);
    } catch (error) {
      throwS3Error(error);
    }
  }

  async *listUploadIds(): AsyncGenerator<string> {
    let last: string | undefined;
    for await (const { key } of this.#bucket.list(PREFIX)) {
      const id = key.split('/')[1] ?? '';
      if (id !== last && isUploadId(id)) yield id;
      last = id;
    }
  }

  [Symbol.dispose](): void {
    this.#bucket[Symbol.dispose]();
  }
}

/** Keeps bytes in memory until they are stored, as an object of their own. */
class SegmentObjectWriter implements SegmentWriter {
  readonly #bucket: S3Bucket;
  readonly #uploadId: string;
  /** The offset of the first byte in `#chunks`. */
  #start: number;
  #chunks: Uint8Array[] = [];

  constructor(bucket: S3Bucket, uploadId: string, start: number) {
    this.#bucket = bucket;
    this.#uploadId = uploadId;
    this.#start = start;
  }

  async append(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
  }

  async flush(): Promise<Segment | undefined> {
    const bytes = Buffer.concat(this.#chunks);
    if (bytes.length === 0) return undefined;
    const segment = { name: randomUUID(), start: this.#start, sizeBytes: bytes.length };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const key = toKey(this.#uploadId, segment.name);
    await this.#bucket.put(key, bytes, sha256).catch(throwS3Error);
    this.#chunks = [];
    this.#start += bytes.length;
    return segment;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#chunks = [];
  }
}

function toKey(uploadId: string, name: string): string {
  return `${PREFIX}${uploadId}/${name}`;
}
