import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  type BlobRange,
  type BlobRef,
  type BlobStore,
  type Draft,
  toBlobRef,
} from './blob-store.ts';
import { createDraftFile, openDraftDirectory, throwStorageError } from './draft-file.ts';
import { RetainedBlobs } from './retained-blobs.ts';
import { S3Bucket } from './s3-bucket.ts';
import { throwS3Error } from './s3-errors.ts';
import { S3AccessError, type S3Settings } from './s3-settings.ts';

const WRITE_CHECK_KEY = 'write-check';
/** No upload of a running service takes this long. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;
const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * Stores blobs as objects of an S3 bucket, with the same names as `DiskBlobStore` gives files. Drafts are files in a
 * local directory until they are committed.
 *
 * `SharedBlobStore` keeps one process from removing a blob that another one is storing.
 */
export class S3BlobStore implements BlobStore, Disposable {
  readonly #bucket: S3Bucket;
  readonly #draftDirectory: string;
  readonly #retained = new RetainedBlobs();
  /** The last operation on each blob that is being stored or removed, so that these happen one after the other. */
  readonly #changes = new Map<BlobRef, Promise<unknown>>();

  private constructor(bucket: S3Bucket, draftDirectory: string) {
    this.#bucket = bucket;
    this.#draftDirectory = draftDirectory;
  }

  /**
   * Opens the bucket, and deletes local drafts left by a crash.
   *
   * @throws {S3AccessError} if the bucket cannot be read and written
   */
  static async open(settings: S3Settings, draftDirectory: string): Promise<S3BlobStore> {
    await openDraftDirectory(draftDirectory);
    const bucket = new S3Bucket(settings);
    await checkAccess(bucket, settings).catch((error: Error) => {
      bucket[Symbol.dispose]();
      throw error;
    });
    return new S3BlobStore(bucket, draftDirectory);
  }

  createDraft(
    bytes: AsyncIterable<Uint8Array>,
    { maxBytes }: { maxBytes: number },
  ): Promise<Draft> {
    return createDraftFile({
      directory: this.#draftDirectory,
      bytes,
      maxBytes,
      retained: this.#retained,
      commit: ({ path, sizeBytes, ref }) => {
        const file = { path, sizeBytes, sha256: ref };
        return this.#changeAlone(ref, () => this.#bucket.putFile(toKey(ref), file));
      },
    });
  }

  open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined> {
    return this.#bucket.get(toKey(ref), range).catch(throwS3Error);
  }

  async read(ref: BlobRef): Promise<Buffer | undefined> {
    const stream = await this.open(ref);
    return stream && (await buffer(stream).catch(throwS3Error));
  }

  async copyToFile(ref: BlobRef, path: string): Promise<boolean> {
    const stream = await this.open(ref);
    if (stream === undefined) return false;
    try {
      await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true });
      return throwStorageError(error);
    }
  }

  remove(ref: BlobRef, storedBefore?: Date): Promise<boolean> {
    return this.#changeAlone(ref, async () => {
      const storedAt = await this.#bucket.findStoredAt(toKey(ref));
      if (storedAt === undefined || this.#retained.has(ref)) return false;
      if (storedBefore !== undefined && storedAt >= storedBefore) return false;
      // A draft that is committed from here on is stored after this.
      await this.#bucket.delete(toKey(ref));
      return true;
    });
  }

  async *list(): AsyncIterable<{ ref: BlobRef; storedAt: Date }> {
    const objects = this.#bucket.list('sha256/');
    for (;;) {
      const { done, value } = await objects.next().catch(throwS3Error);
      if (done) return;
      const ref = toBlobRef(value.key.slice(value.key.lastIndexOf('/') + 1));
      if (ref !== undefined && toKey(ref) === value.key) yield { ref, storedAt: value.storedAt };
    }
  }

  [Symbol.dispose](): void {
    this.#bucket[Symbol.dispose]();
  }

  /** Runs an operation after the earlier ones on the same blob. */
  async #changeAlone<T>(ref: BlobRef, operation: () => Promise<T>): Promise<T> {
    const earlier = this.#changes.get(ref)?.catch(() => undefined);
    const change = Promise.resolve(earlier).then(operation).catch(throwS3Error);
    this.#changes.set(ref, change);
    try {
      return await change;
    } finally {
      if (this.#changes.get(ref) === change) this.#changes.delete(ref);
    }
  }
}

function toKey(ref: BlobRef): string {
  return `sha256/${ref.slice(0, 2)}/${ref}`;
}

/** Reads and writes the bucket once. A key that may only read would fail at the first upload. */
async function checkAccess(bucket: S3Bucket, settings: S3Settings): Promise<void> {
  try {
    await bucket.list('sha256/').next();
    await bucket.put(WRITE_CHECK_KEY, new Uint8Array(), SHA256_OF_NOTHING);
    await bucket.delete(WRITE_CHECK_KEY);
    await bucket.deleteAbandonedUploads(new Date(Date.now() - ABANDONED_AFTER_MS));
  } catch (error) {
    throw new S3AccessError(describeAccessError(error as Error, settings), { cause: error });
  }
}

function describeAccessError(
  error: Error & { code?: string; $metadata?: { httpStatusCode?: number } },
  { endpoint, bucket, region }: S3Settings,
): string {
  const status = error.$metadata?.httpStatusCode;
  if (error.name === 'NoSuchBucket' || (status === 404 && error.name === 'NotFound'))
    return `CLOCHE_S3_URL names the bucket "${bucket}", which does not exist at ${endpoint}. Create it, or correct the name.`;
  if (status === 401 || status === 403)
    return `${endpoint} refuses access to the bucket "${bucket}" (${error.name}). Check CLOCHE_S3_KEY and CLOCHE_S3_SECRET; the key must be able to list, read, write and delete objects.`;
  if (status === 301 || status === 400)
    return `${endpoint} does not accept requests for the bucket "${bucket}" (${error.name}). Check CLOCHE_S3_URL, and CLOCHE_S3_REGION, which is "${region}".`;
  return `No S3 server responds at ${endpoint} (${error.code ?? error.name}). Check CLOCHE_S3_URL, and start that server first.`;
}
