import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { BlobRange } from './blob-store.ts';
import { ignoreMissing, isTransient } from './s3-errors.ts';
import type { S3Settings } from './s3-settings.ts';

/** How long a request may wait for its response, or for the next bytes of one. The SDK would wait forever. */
const TIMEOUT_MS = 4000;
/** How long one request with bytes may take in all. An upload that stops is ended by the limit above. */
const UPLOAD_TIMEOUT_MS = 60_000;
/** How long the server may take to join the parts of an upload: minutes, for large files. */
const COMPLETE_TIMEOUT_MS = 5 * 60_000;
const MAX_ATTEMPTS = 3;
const FIRST_RETRY_DELAY_MS = 100;
/** Larger files are sent in parts. S3 requires at least 5 MiB for each, and allows 10,000. */
const PART_BYTES = 8 * 1024 ** 2;
/** The most that S3 allows. */
const LIST_PAGE_SIZE = 1000;
/** Each reader of a large blob has a connection for as long as it reads. The default of the SDK is 50. */
const MAX_CONNECTIONS = 512;
type Send<T> = (options: { abortSignal: AbortSignal }) => Promise<T>;

/** A file to store, and the SHA-256 of its bytes in hexadecimal. */
type FileToStore = { path: string; sizeBytes: number; sha256: string };

/**
 * The objects of an S3 bucket below a prefix. Each operation ends within seconds if the server does not respond, except
 * the last one of an upload in parts.
 * Errors are those of the SDK; see s3-errors.ts.
 */
export class S3Bucket implements Disposable {
  readonly #client: S3Client;
  /** A time limit for idle connections: an upload may take long, while a download may wait for a slow visitor. */
  readonly #uploadClient: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #completeTimeoutMs: number;

  /** @param completeTimeoutMs how long the server may take to join the parts of an upload */
  constructor(settings: S3Settings, completeTimeoutMs = COMPLETE_TIMEOUT_MS) {
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
    const handler = { connectionTimeout: TIMEOUT_MS, httpAgent: agent, httpsAgent: agent };
    this.#client = new S3Client({ ...config, requestHandler: handler });
    this.#uploadClient = new S3Client({
      ...config,
      requestHandler: { ...handler, socketTimeout: TIMEOUT_MS },
    });
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#completeTimeoutMs = completeTimeoutMs;
  }

  /** Opens an object, or a range of it, for reading. Returns undefined if it does not exist. */
  async get(key: string, range?: BlobRange): Promise<Readable | undefined> {
    const command = new GetObjectCommand({
      ...this.#locate(key),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    });
    const output = await this.#request((options) => this.#client.send(command, options)).catch(
      ignoreMissing,
    );
    const body = output?.Body as Readable | undefined;
    return body && Readable.from(readWithTimeout(body), { objectMode: false });
  }

  /** Returns when an object was stored, by the clock of the server, or undefined if it does not exist. */
  async findStoredAt(key: string): Promise<Date | undefined> {
    const command = new HeadObjectCommand(this.#locate(key));
    const output = await this.#request((options) => this.#client.send(command, options)).catch(
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
    await this.#upload((options) => this.#uploadClient.send(command, options)).catch(
      ignoreExisting,
    );
  }

  /** Stores a file, unless the object exists. Nothing is stored if the bytes do not have the SHA-256. */
  async putFile(key: string, { path, sizeBytes, sha256 }: FileToStore): Promise<void> {
    await using file = await open(path);
    if (sizeBytes <= PART_BYTES) {
      await this.put(key, await file.readFile(), sha256);
      return;
    }
    if ((await this.findStoredAt(key)) !== undefined) return;
    const create = new CreateMultipartUploadCommand(this.#locate(key));
    const { UploadId } = await this.#request((options) => this.#client.send(create, options));
    const upload = { ...this.#locate(key), UploadId };
    try {
      const hash = createHash('sha256');
      const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
      for (let start = 0; start < sizeBytes; start += PART_BYTES) {
        const part = Buffer.allocUnsafe(Math.min(PART_BYTES, sizeBytes - start));
        await file.read(part, 0, part.length, start);
        hash.update(part);
        const command = new UploadPartCommand({
          ...upload,
          PartNumber: Parts.length + 1,
          Body: part,
        });
        signSha256(command, createHash('sha256').update(part).digest('hex'));
        const { ETag } = await this.#upload((options) => this.#uploadClient.send(command, options));
        Parts.push({ ETag, PartNumber: Parts.length + 1 });
      }
      if (hash.digest('hex') !== sha256) throw new Error(`The bytes of ${path} have changed.`);
      const complete = new CompleteMultipartUploadCommand({
        ...upload,
        MultipartUpload: { Parts },
        IfNoneMatch: '*',
      });
      await this.#request(
        (options) => this.#client.send(complete, options),
        this.#completeTimeoutMs,
      );
    } catch (error) {
      await this.#abort(key, UploadId);
      ignoreExisting(error as Error);
    }
  }

  /** Deletes an object. Deleting one that does not exist is not an error. */
  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#locate(key));
    await this.#request((options) => this.#client.send(command, options));
  }

  /** Lists the objects whose keys begin with `start`, with one request for each page. */
  async *list(
    start: string,
    pageSize = LIST_PAGE_SIZE,
  ): AsyncGenerator<{ key: string; storedAt: Date }> {
    for (let token: string | undefined; ; ) {
      const command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: this.#prefix + start,
        MaxKeys: pageSize,
        ContinuationToken: token,
      });
      const page = await this.#request((options) => this.#client.send(command, options));
      for (const { Key = '', LastModified = new Date(0) } of page.Contents ?? []) {
        yield { key: Key.slice(this.#prefix.length), storedAt: LastModified };
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
      const page = await this.#request((options) => this.#client.send(command, options));
      for (const { Key = '', UploadId = '', Initiated = new Date() } of page.Uploads ?? [])
        yield { key: Key.slice(this.#prefix.length), uploadId: UploadId, startedAt: Initiated };
      if (!page.IsTruncated) return;
      next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  /** Deletes the parts of uploads that were begun before the given time, and not ended because of a crash. */
  async deleteAbandonedUploads(startedBefore: Date, pageSize = LIST_PAGE_SIZE): Promise<void> {
    for await (const { key, uploadId, startedAt } of this.listUploads(pageSize)) {
      if (startedAt < startedBefore) await this.#abort(key, uploadId);
    }
  }

  /** Closes the connections. */
  [Symbol.dispose](): void {
    this.#client.destroy();
    this.#uploadClient.destroy();
  }

  /** Ends an upload and deletes its parts. If that fails, `deleteAbandonedUploads` repeats it. */
  async #abort(key: string, uploadId: string | undefined): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#locate(key), UploadId: uploadId });
    await this.#request((options) => this.#client.send(command, options)).catch(() => undefined);
  }

  #locate(key: string) {
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }

  #upload<T>(send: Send<T>): Promise<T> {
    return this.#request(send, UPLOAD_TIMEOUT_MS);
  }

  /** Sends a request, and again if the server asked for that or closed the connection. A timeout is not repeated. */
  async #request<T>(send: Send<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await send({ abortSignal: controller.signal });
        } catch (error) {
          if (attempt === MAX_ATTEMPTS || controller.signal.aborted || !isTransient(error))
            throw error;
          await delay(FIRST_RETRY_DELAY_MS * 2 ** attempt);
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The server compares this header with the bytes that it received. For https, the SDK would not send it. */
function signSha256(command: PutObjectCommand | UploadPartCommand, sha256: string): void {
  type Headers = { headers: Record<string, string> };
  (command as PutObjectCommand).middlewareStack.add(
    (next) => (build) => {
      (build.request as Headers).headers['x-amz-content-sha256'] = sha256;
      return next(build);
    },
    { step: 'build', name: 'signSha256' },
  );
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
        TIMEOUT_MS,
      );
      const { done, value } = await chunks.next().finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    body.destroy();
  }
}
