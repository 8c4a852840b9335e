import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import type { BlobRange } from './blob-store.ts';
import { ignoreMissing } from './s3-errors.ts';
import { observeS3Requests } from './s3-requests.ts';
import type { S3Settings } from './s3-settings.ts';
import { S3_TIMEOUT_MS, sendWithRetries } from './send-with-retries.ts';
import { signSha256 } from './sign-sha256.ts';
import { abortUpload, PART_BYTES, UPLOAD_TIMEOUT_MS, uploadInParts } from './upload-in-parts.ts';

/** The most that S3 allows. */
const LIST_PAGE_SIZE = 1000;
/** Each reader of a large blob has a connection for as long as it reads. The default of the SDK is 50. */
const MAX_CONNECTIONS = 512;

/** A file to store, and the SHA-256 of its bytes in hexadecimal. */
type FileToStore = { path: string; sizeBytes: number; sha256: string };

/**
 * The objects of an S3 bucket below a prefix. Each operation ends within seconds if the server does not respond.
 * Errors are those of the SDK; see s3-errors.ts.
 */
export class S3Bucket implements Disposable {
  readonly #client: S3Client;
  /** A time limit for idle connections: an upload may take long, while a download may wait for a slow visitor. */
  readonly #uploadClient: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(settings: S3Settings) {
    const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey } = settings;
    const config = {
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
      // Some stores refuse the checksums that the SDK adds by default. The SHA-256 of each request is signed.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 1,
    } satisfies S3ClientConfig;
    const agent = { maxSockets: MAX_CONNECTIONS, keepAlive: true };
    const handler = { connectionTimeout: S3_TIMEOUT_MS, httpAgent: agent, httpsAgent: agent };
    this.#client = new S3Client({ ...config, requestHandler: handler });
    this.#uploadClient = new S3Client({
      ...config,
      requestHandler: { ...handler, socketTimeout: S3_TIMEOUT_MS },
    });
    if (settings.onRequest !== undefined)
      for (const client of [this.#client, this.#uploadClient])
        observeS3Requests(client, settings.onRequest);
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  /** Opens an object, or a range of it, for reading. Returns undefined if it does not exist. */
  async get(
    key: string,
    range?: BlobRange,
  ): Promise<{ bytes: Readable; sizeBytes: number | undefined } | undefined> {
    const command = new GetObjectCommand({
      ...this.#locate(key),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    });
    const output = await sendWithRetries((options) => this.#client.send(command, options)).catch(
      ignoreMissing,
    );
    const body = output?.Body as Readable | undefined;
    if (body === undefined) return undefined;
    const bytes = Readable.from(readWithTimeout(body), { objectMode: false });
    return { bytes, sizeBytes: output?.ContentLength };
  }

  /** Returns when an object was stored, by the clock of the server, or undefined if it does not exist. */
  async findStoredAt(key: string): Promise<Date | undefined> {
    const command = new HeadObjectCommand(this.#locate(key));
    const output = await sendWithRetries((options) => this.#client.send(command, options)).catch(
      ignoreMissing,
    );
    return output?.LastModified;
  }

  /** Stores bytes, unless the object exists. The server refuses bytes that do not have the SHA-256. */
  async put(key: string, bytes: Uint8Array, sha256: string): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#locate(key),
      Body: bytes,
      IfNoneMatch: '*',
    });
    signSha256(command, sha256);
    await sendWithRetries((options) => this.#uploadClient.send(command, options), {
      timeoutMs: UPLOAD_TIMEOUT_MS,
    }).catch(ignoreExisting);
  }

  /** Stores a file, unless the object exists. Nothing is stored if the bytes do not have the SHA-256. */
  async putFile(key: string, { path, sizeBytes, sha256 }: FileToStore): Promise<void> {
    await using file = await open(path);
    if (sizeBytes <= PART_BYTES) {
      await this.put(key, await file.readFile(), sha256);
      return;
    }
    if ((await this.findStoredAt(key)) !== undefined) return;
    const [client, uploadClient] = [this.#client, this.#uploadClient];
    const [location, prefix] = [this.#locate(key), this.#prefix];
    const upload = { client, uploadClient, location, prefix, file, sizeBytes, sha256 };
    await uploadInParts(upload).catch(ignoreExisting);
  }

  /**
   * Deletes an object. Deleting one that does not exist is not an error. Returns whether the server has answered every request:
   * one without an answer may still be executed.
   */
  async delete(key: string): Promise<boolean> {
    const command = new DeleteObjectCommand(this.#locate(key));
    let requestCount = 0;
    await sendWithRetries((options) => {
      requestCount += 1;
      return this.#client.send(command, options);
    });
    return requestCount === 1;
  }

  /** Lists the objects whose keys begin with `start`, with one request for each page. */
  async *list(
    start: string,
    pageSize = LIST_PAGE_SIZE,
  ): AsyncGenerator<{ key: string; storedAt: Date; sizeBytes: number }> {
    for (let token: string | undefined; ; ) {
      const command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: this.#prefix + start,
        MaxKeys: pageSize,
        ContinuationToken: token,
      });
      const page = await sendWithRetries((options) => this.#client.send(command, options));
      for (const { Key = '', LastModified = new Date(0), Size = 0 } of page.Contents ?? []) {
        const key = Key.slice(this.#prefix.length);
        yield { key, storedAt: LastModified, sizeBytes: Size };
      }
      token = page.NextContinuationToken;
      if (token === undefined) return;
    }
  }

  /** Lists the uploads in parts that were begun and not ended, with one request for each page. */
  async *listUploads(
    pageSize = LIST_PAGE_SIZE,
  ): AsyncGenerator<{ key: string; uploadId: string; startedAt: Date }> {
    let next: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    for (;;) {
      const command = new ListMultipartUploadsCommand({
        ...{ Bucket: this.#bucket, Prefix: this.#prefix, MaxUploads: pageSize },
        ...next,
      });
      const page = await sendWithRetries((options) => this.#client.send(command, options));
      for (const { Key = '', UploadId = '', Initiated = new Date() } of page.Uploads ?? [])
        yield { key: Key.slice(this.#prefix.length), uploadId: UploadId, startedAt: Initiated };
      if (!page.IsTruncated) return;
      next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  /** Deletes the parts of uploads that were begun before the given time, and not ended because of a crash. */
  async deleteAbandonedUploads(startedBefore: Date, pageSize = LIST_PAGE_SIZE): Promise<void> {
    for await (const { key, uploadId, startedAt } of this.listUploads(pageSize)) {
      if (startedAt < startedBefore) await abortUpload(this.#client, this.#locate(key), uploadId);
    }
  }

  /** Closes the connections. */
  [Symbol.dispose](): void {
    this.#client.destroy();
    this.#uploadClient.destroy();
  }

  #locate(key: string) {
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }
}

/** An object with this key has the same bytes. */
function ignoreExisting(error: Error): void {
  if (error.name !== 'PreconditionFailed') throw error;
}

/** Yields the bytes of a response. The time between reads, when the reader is slow, is not limited. */
async function* readWithTimeout(body: Readable): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(
        () => body.destroy(new DOMException('The S3 server stopped responding.', 'TimeoutError')),
        S3_TIMEOUT_MS,
      );
      const { done, value } = await chunks.next().finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    body.destroy();
  }
}
