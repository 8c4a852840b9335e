import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { sendWithRetries } from './send-with-retries.ts';
import { signSha256 } from './sign-sha256.ts';

/** How long one request with bytes may take in all. An upload that stops is ended by the time limit of the socket. */
export const UPLOAD_TIMEOUT_MS = 60_000;
/** Larger files are sent in parts. S3 requires at least 5 MiB for each, and allows 10,000. */
export const PART_BYTES = 8 * 1024 ** 2;
/** How long the server may take to join the parts of an upload: minutes, for large files. */
const COMPLETE_TIMEOUT_MS = 5 * 60_000;
/** The pause between the checks whether a server that joins parts still responds. */
const CHECK_INTERVAL_MS = 500;
/** An object that does not exist. Some servers lock the object whose parts they join. */
const CHECK_KEY = 'response-check';

type S3Location = { Bucket: string; Key: string };
export type PartsUpload = {
  client: S3Client;
  /** With a time limit for idle connections. */
  uploadClient: S3Client;
  location: S3Location;
  /** What the keys of the bucket begin with. */
  prefix: string;
  file: FileHandle;
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
};
type CompletedParts = { ETag: string | undefined; PartNumber: number }[];

/**
 * Stores a large file as the object of a bucket. If it fails, parts may remain for a while: they are deleted without
 * waiting, because the server may not respond.
 */
export async function uploadInParts(upload: PartsUpload): Promise<void> {
  const { client, location } = upload;
  const create = new CreateMultipartUploadCommand(location);
  const { UploadId = '' } = await sendWithRetries((options) => client.send(create, options));
  try {
    const parts = await uploadParts(upload, UploadId);
    await complete(upload, UploadId, parts);
  } catch (error) {
    void abortUpload(client, location, UploadId);
    throw error;
  }
}

/** Ends an upload and deletes its parts. A failure is not reported: old uploads are deleted later. */
export async function abortUpload(
  client: S3Client,
  location: S3Location,
  uploadId: string,
): Promise<void> {
  const command = new AbortMultipartUploadCommand({ ...location, UploadId: uploadId });
  await sendWithRetries((options) => client.send(command, options)).catch(() => undefined);
}

async function uploadParts(
  { uploadClient, location, file, sizeBytes, sha256 }: PartsUpload,
  UploadId: string,
): Promise<CompletedParts> {
  const hash = createHash('sha256');
  const parts: CompletedParts = [];
  for (let start = 0; start < sizeBytes; start += PART_BYTES) {
    const part = Buffer.allocUnsafe(Math.min(PART_BYTES, sizeBytes - start));
    await file.read(part, 0, part.length, start);
    hash.update(part);
    const PartNumber = parts.length + 1;
    const command = new UploadPartCommand({ ...location, UploadId, PartNumber, Body: part });
    signSha256(command, createHash('sha256').update(part).digest('hex'));
    const { ETag } = await sendWithRetries((options) => uploadClient.send(command, options), {
      timeoutMs: UPLOAD_TIMEOUT_MS,
    });
    parts.push({ ETag, PartNumber });
  }
  if (hash.digest('hex') !== sha256)
    throw new Error(`The bytes of ${location.Key} have changed before they were stored.`);
  return parts;
}

/** Joins the parts. This may take minutes, so the server is asked meanwhile whether it responds. */
async function complete(
  { client, location, prefix }: PartsUpload,
  UploadId: string,
  Parts: CompletedParts,
): Promise<void> {
  const command = new CompleteMultipartUploadCommand({
    ...location,
    UploadId,
    MultipartUpload: { Parts },
    IfNoneMatch: '*',
  });
  const unresponsive = new AbortController();
  const ended = new AbortController();
  const watching = watch({ ...location, Key: prefix + CHECK_KEY }, client, ended.signal).catch(
    (error) => unresponsive.abort(error),
  );
  try {
    await sendWithRetries((options) => client.send(command, options), {
      timeoutMs: COMPLETE_TIMEOUT_MS,
      signal: unresponsive.signal,
    });
  } finally {
    ended.abort();
    await watching;
  }
}

/** Sends small requests until `signal` is aborted. @throws the server does not respond */
async function watch(location: S3Location, client: S3Client, signal: AbortSignal): Promise<void> {
  const command = new HeadObjectCommand(location);
  for (;;) {
    await delay(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await sendWithRetries((options) => client.send(command, options), { signal });
    } catch (error) {
      // Each response is enough, also one that refuses the request.
      if (!signal.aborted && getStatus(error) === undefined) throw error;
    }
  }
}

function getStatus(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
