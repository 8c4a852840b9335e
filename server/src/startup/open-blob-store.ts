import { join } from 'node:path';
import type { BlobStore } from '../blobs/blob-store.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { S3AccessError, type S3Settings } from '../blobs/s3-settings.ts';
import { ConfigError } from '../config.ts';
import type { Database } from '../database/database.ts';
import { UserStore } from '../users/user-store.ts';
import { toStorageError } from './storage-errors.ts';

/** Disposing it closes the connections to the bucket. */
export type OpenedBlobStore = AsyncDisposable & { blobs: BlobStore };

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
): Promise<OpenedBlobStore> {
  const directory = join(dataDirectory, 'blobs');
  if (shared !== undefined) {
    await assertNoLocalBlobs(directory, 'CLOCHE_FILES');
    return toOpened(await openSharedFolder(shared));
  }
  if (s3 === undefined) return toOpened(await DiskBlobStore.open(directory));
  await assertNoLocalBlobs(directory, 'CLOCHE_S3_URL');
  const { S3BlobStore } = await import('../blobs/s3-blob-store.ts');
  try {
    const blobs = await S3BlobStore.open(s3, join(directory, 'drafts'));
    return { blobs, [Symbol.asyncDispose]: async () => blobs[Symbol.dispose]() };
  } catch (error) {
    throw error instanceof S3AccessError ? new ConfigError(error.message) : error;
  }
}

function toOpened(blobs: BlobStore): OpenedBlobStore {
  return { blobs, [Symbol.asyncDispose]: async () => {} };
}

/** @throws {ConfigError} the folder cannot be read or written */
async function openSharedFolder({ path, nodeId }: SharedFolder): Promise<BlobStore> {
  try {
    return await DiskBlobStore.open(path, join('drafts', nodeId));
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
      `${variable} is set, but "${directory}" contains files of designs, such as ${ref}. Copy the folder "sha256" in it to the ${variable === 'CLOCHE_FILES' ? 'folder' : 'bucket'}, then rename "${directory}".`,
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
