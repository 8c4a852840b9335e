import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore, FileBlobStore } from '../blobs/blob-store.ts';
import type { CacheFolderOptions } from '../blobs/cache-folder.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { DiskCachedBlobStore } from '../blobs/disk-cached-blob-store.ts';
import { S3AccessError, type S3Settings } from '../blobs/s3-settings.ts';
import type { NamedCaches } from '../cache/cache.ts';
import type { Database } from '../database/database.ts';
import { ConfigError } from '../environment.ts';
import { DiskUploadSegments, deleteFormerUploads } from '../uploads/disk-upload-segments.ts';
import type { UploadSegments } from '../uploads/upload-segments.ts';
import { UserStore } from '../users/user-store.ts';
import { assertOutsideDataDirectory } from './assert-outside-data-directory.ts';
import { toStorageError } from './storage-errors.ts';

/** Disposing it closes the connections to the bucket. */
export type OpenedBlobStore = AsyncDisposable & {
  blobs: FileBlobStore;
  /** The bytes of resumable uploads, in the same place. */
  segments: UploadSegments;
  /** Those on the disk, for metrics. */
  caches?: NamedCaches | undefined;
};

/** A folder that several nodes use. Each has drafts of its own in it. */
export type SharedFolder = { path: string; nodeId: string };

/**
 * Opens the store of the files of designs: the bucket, a shared folder, or the data directory. The S3 client is loaded only if there is
 * a bucket: it takes time and memory.
 *
 * @throws {ConfigError}
 */
export async function openBlobStore(
  dataDirectory: string,
  s3: S3Settings | undefined,
  shared?: SharedFolder,
  cacheBytes = 0,
): Promise<OpenedBlobStore> {
  const cacheDirectory = join(dataDirectory, 'cache');
  if (s3 === undefined || cacheBytes === 0)
    await rm(cacheDirectory, { recursive: true, force: true });
  const directory = join(dataDirectory, 'blobs');
  const uploadDirectory = join(dataDirectory, 'uploads');
  if (s3 === undefined && shared === undefined) {
    const blobs = await DiskBlobStore.open(directory);
    await deleteFormerUploads(uploadDirectory);
    const segments = await DiskUploadSegments.open(uploadDirectory);
    return { blobs, segments, [Symbol.asyncDispose]: async () => {} };
  }
  if (shared !== undefined)
    await assertOutsideDataDirectory({ dataDirectory, filesDirectory: shared.path });
  await assertNoLocalBlobs(directory, shared === undefined ? 'CLOCHE_S3_URL' : 'CLOCHE_FILES');
  await deleteFormerUploads(uploadDirectory, { all: true });
  return shared === undefined
    ? openBucket(s3 as S3Settings, join(directory, 'drafts'), {
        directory: cacheDirectory,
        maxBytes: cacheBytes,
      })
    : openSharedFolder(shared);
}

/** @throws {ConfigError} the bucket cannot be read or written */
async function openBucket(
  s3: S3Settings,
  draftDirectory: string,
  cache: CacheFolderOptions,
): Promise<OpenedBlobStore> {
  const { S3BlobStore } = await import('../blobs/s3-blob-store.ts');
  const { S3UploadSegments } = await import('../uploads/s3-upload-segments.ts');
  try {
    await using resources = new AsyncDisposableStack();
    const bucket = resources.use(await S3BlobStore.open(s3, draftDirectory));
    const segments = resources.use(new S3UploadSegments(s3));
    const cached =
      cache.maxBytes === 0
        ? undefined
        : resources.use(await DiskCachedBlobStore.open(bucket, cache));
    const opened = resources.move();
    return {
      blobs: cached ?? bucket,
      segments,
      caches: cached?.caches,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  } catch (error) {
    throw error instanceof S3AccessError ? new ConfigError(error.message) : error;
  }
}

/** @throws {ConfigError} the folder cannot be read or written */
async function openSharedFolder({ path, nodeId }: SharedFolder): Promise<OpenedBlobStore> {
  try {
    const blobs = await DiskBlobStore.open(path, join('drafts', nodeId));
    const segments = await DiskUploadSegments.open(join(path, 'uploads'));
    return { blobs, segments, [Symbol.asyncDispose]: async () => {} };
  } catch (error) {
    throw toStorageError(error, { variable: 'CLOCHE_FILES', path });
  }
}

/** Files of designs in the data directory would be missing if only the other place were read. */
async function assertNoLocalBlobs(
  directory: string,
  variable: 'CLOCHE_FILES' | 'CLOCHE_S3_URL',
): Promise<void> {
  const blobs = await DiskBlobStore.open(directory);
  for await (const { ref } of blobs.list()) {
    throw new ConfigError(
      `${variable} is set, but "${directory}" contains files of designs, such as ${ref}. Copy them with "cloche-server move ${variable === 'CLOCHE_FILES' ? '--to-files' : '--to-s3'}", run without ${variable}, then rename "${directory}".`,
    );
  }
}

/**
 * A new database knows none of the files of another one, so the service would delete them.
 *
 * @throws {ConfigError}
 */
export async function assertNoBlobsOfOtherDatabase(
  database: Database,
  blobs: Pick<BlobStore, 'list'>,
): Promise<void> {
  if (await new UserStore(database).hasAny()) return;
  for await (const { ref } of blobs.list()) {
    throw new ConfigError(
      `The database is new, but there are files of designs, such as ${ref}. They belong to another database, and would be deleted. Set CLOCHE_DATABASE_URL as before, restore the database, or set CLOCHE_DATA, CLOCHE_FILES or CLOCHE_S3_URL to a place without files.`,
    );
  }
}
