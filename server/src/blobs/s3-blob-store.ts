import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { BlobFileFinder, parseBlobFileName, summarizeFiles, toBlobFileName } from './blob-files.ts';
import type {
  BlobDownload,
  BlobFile,
  BlobRange,
  BlobRef,
  FileDraft,
  RemoteBlobStore,
  StoredBlob,
} from './blob-store.ts';
import { createDraftFile, openDraftDirectory, throwStorageError } from './draft-file.ts';
import { RetainedBlobs } from './retained-blobs.ts';
import { S3Bucket } from './s3-bucket.ts';
import { convertS3Errors, throwS3Error } from './s3-errors.ts';
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
export class S3BlobStore implements RemoteBlobStore, Disposable {
  readonly #bucket: S3Bucket;
  readonly #draftDirectory: string;
  readonly #retained = new RetainedBlobs();
  readonly #finder = new BlobFileFinder();
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
  ): Promise<FileDraft> {
    return createDraftFile({
      directory: this.#draftDirectory,
      bytes,
      maxBytes,
      retained: this.#retained,
      commit: ({ path, sizeBytes, ref }, generation) => {
        const file = { path, sizeBytes, sha256: ref };
        return this.#changeAlone(ref, () => this.#bucket.putFile(toKey(ref, generation), file));
      },
    });
  }

  download(ref: BlobRef): Promise<BlobDownload | undefined> {
    return this.#get(ref);
  }

  async open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined> {
    return (await this.#get(ref, range))?.bytes;
  }

  async read(ref: BlobRef): Promise<Buffer | undefined> {
    const stream = await this.open(ref);
    return stream && (await buffer(stream).catch(throwS3Error));
  }

  async copyToFile(ref: BlobRef, path: string): Promise<boolean> {
    const stream = await this.open(ref);
    if (stream === undefined) return false;
    try {
      await pipeline(
        convertS3Errors(stream),
        createWriteStream(path, { flags: 'wx', mode: 0o600 }),
      );
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true });
      return throwStorageError(error);
    }
  }

  remove(ref: BlobRef, storedBefore?: Date): Promise<boolean> {
    return this.#changeAlone(ref, async () => {
      const files = await this.findFiles(ref);
      if (files.length === 0 || this.#retained.has(ref)) return false;
      if (storedBefore !== undefined && summarizeFiles(files).storedAt >= storedBefore)
        return false;
      // A draft that is committed from here on is stored after this.
      for (const { generation } of files) await this.#bucket.delete(toKey(ref, generation));
      return true;
    });
  }

  async findFiles(ref: BlobRef): Promise<BlobFile[]> {
    const files: BlobFile[] = [];
    for await (const { ref: found, ...file } of this.#listFiles(toKey(ref, 0)))
      if (found === ref) files.push(file);
    return files;
  }

  removeFile(ref: BlobRef, generation: number): Promise<boolean> {
    return this.#bucket.delete(toKey(ref, generation)).catch(throwS3Error);
  }

  async *list(): AsyncIterable<StoredBlob> {
    let ref: BlobRef | undefined;
    let files: BlobFile[] = [];
    // In the order of their keys: the files of a blob are next to each other.
    for await (const file of this.#listFiles('sha256/')) {
      if (file.ref !== ref) {
        if (ref !== undefined) yield { ref, ...summarizeFiles(files) };
        files = [];
        ref = file.ref;
      }
      files.push(file);
    }
    if (ref !== undefined) yield { ref, ...summarizeFiles(files) };
  }

  [Symbol.dispose](): void {
    this.#bucket[Symbol.dispose]();
  }

  #get(ref: BlobRef, range?: BlobRange): Promise<BlobDownload | undefined> {
    return this.#finder.find(
      ref,
      (generation) => this.#bucket.get(toKey(ref, generation), range).catch(throwS3Error),
      () => this.findFiles(ref),
    );
  }

  async *#listFiles(start: string): AsyncGenerator<BlobFile & { ref: BlobRef }> {
    const objects = this.#bucket.list(start);
    for (;;) {
      const { done, value } = await objects.next().catch(throwS3Error);
      if (done) return;
      const { key, storedAt, sizeBytes } = value;
      const name = parseBlobFileName(key.slice(key.lastIndexOf('/') + 1));
      if (name === undefined || toKey(name.ref, name.generation) !== key) continue;
      yield { ...name, storedAt, sizeBytes };
    }
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

function toKey(ref: BlobRef, generation: number): string {
  return `sha256/${ref.slice(0, 2)}/${toBlobFileName(ref, generation)}`;
}

/** Does once what the service does later: lists, writes, reads and deletes. A key that may not would fail at the first upload or view. */
async function checkAccess(bucket: S3Bucket, settings: S3Settings): Promise<void> {
  try {
    await bucket.list('sha256/').next();
    await bucket.put(WRITE_CHECK_KEY, new Uint8Array(), SHA256_OF_NOTHING);
    // Undefined: another node has deleted it, at its own start.
    const written = await bucket.get(WRITE_CHECK_KEY);
    if (written !== undefined) await buffer(written.bytes);
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
