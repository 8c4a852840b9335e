import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileBlobStore } from '../blobs/blob-store.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { S3AccessError, type S3Settings } from '../blobs/s3-settings.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { ConfigError } from '../environment.ts';
import { becomeOwner, ensureDataDirectory } from '../startup/data-directory.ts';
import { acquireDataDirectoryLock } from '../startup/data-directory-lock.ts';
import { assertDatabaseSupported, openDatabase } from '../startup/open-database.ts';
import {
  lockPostgresDatabase,
  openUnusedPostgresDatabase,
  type PostgresLock,
} from '../startup/open-postgres-database.ts';
import { describeUrl } from '../startup/postgres-connection-errors.ts';
import { toStorageError } from '../startup/storage-errors.ts';

/** The settings that say where an installation is. */
export type InstallationConfig = Pick<
  Config,
  'dataDirectory' | 'database' | 's3' | 'filesDirectory' | 'grantKey'
>;

/** A store of blobs, and how messages name it. */
export type OpenedBlobs = AsyncDisposable & { blobs: FileBlobStore; blobsPlace: string };

/** The drafts of a command, in the folder with the drafts of the service. It is deleted when the service starts. */
const DRAFT_FOLDER = join('drafts', 'command');

/** Creates files for their owner only, and as the user who owns the data directory, if there is one. */
export function becomeServiceUser({ dataDirectory }: Pick<Config, 'dataDirectory'>): void {
  process.umask(0o077);
  if (existsSync(dataDirectory)) becomeOwner(dataDirectory);
}

/** Keeps services from using installations, until the result is disposed. @throws {ConfigError} a service is running */
export async function lockInstallations(
  configs: readonly InstallationConfig[],
): Promise<PostgresLock> {
  await using locks = new AsyncDisposableStack();
  process.umask(0o077);
  for (const directory of new Set(configs.map(({ dataDirectory }) => dataDirectory))) {
    await ensureDataDirectory(directory);
    becomeOwner(directory);
    locks.use(acquireDataDirectoryLock(directory));
  }
  const urls = configs.flatMap(({ database }) => ('url' in database ? [database.url] : []));
  const databaseLocks: PostgresLock[] = [];
  for (const url of new Set(urls)) databaseLocks.push(locks.use(await lockPostgresDatabase(url)));
  const moved = locks.move();
  return {
    async assertHeld() {
      for (const lock of databaseLocks) await lock.assertHeld();
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Opens the database of an installation that is locked. Creates or updates it. @throws {ConfigError} */
export async function openLockedDatabase({
  dataDirectory,
  database,
}: InstallationConfig): Promise<Database> {
  if (database.kind === 'postgres') return openUnusedPostgresDatabase(database.url);
  assertDatabaseSupported(dataDirectory);
  return openDatabase(dataDirectory);
}

/** Opens the blobs of an installation that is locked, creating their folder. @throws {ConfigError} */
export async function openLockedBlobs(config: InstallationConfig): Promise<OpenedBlobs> {
  const { dataDirectory, s3, filesDirectory } = config;
  const blobsPlace = describeFiles(config);
  if (s3 !== undefined) return { ...(await openBucket(s3)), blobsPlace };
  const path = filesDirectory ?? join(dataDirectory, 'blobs');
  try {
    const blobs = await DiskBlobStore.open(path, DRAFT_FOLDER);
    const close = () => rm(join(path, DRAFT_FOLDER), { recursive: true, force: true });
    return { blobs, blobsPlace, [Symbol.asyncDispose]: close };
  } catch (error) {
    throw toStorageError(error, toUsedDirectory(config));
  }
}

/** Opens the blobs of an installation that may be in use. Blobs cannot be added. @throws {ConfigError} */
export async function openUsedBlobs(config: InstallationConfig): Promise<OpenedBlobs> {
  const { dataDirectory, s3, filesDirectory } = config;
  const blobsPlace = describeFiles(config);
  if (s3 !== undefined) return { ...(await openBucket(s3)), blobsPlace };
  const blobs = DiskBlobStore.openExisting(filesDirectory ?? join(dataDirectory, 'blobs'));
  return { blobs, blobsPlace, [Symbol.asyncDispose]: async () => {} };
}

/** Names the database, for messages. */
export function describeDatabase({ dataDirectory, database }: InstallationConfig): string {
  return database.kind === 'postgres'
    ? describeUrl(database.url)
    : `the database in "${dataDirectory}"`;
}

/** Names the place of the blobs, for messages. */
export function describeFiles({ dataDirectory, s3, filesDirectory }: InstallationConfig): string {
  if (s3 !== undefined) return `${s3.endpoint}/${s3.bucket}/${s3.prefix}`;
  return `"${filesDirectory ?? join(dataDirectory, 'blobs')}"`;
}

/** The drafts are in a directory of their own: those of a service may be in use. */
async function openBucket(settings: S3Settings) {
  const { S3BlobStore } = await import('../blobs/s3-blob-store.ts');
  const directory = await mkdtemp(join(tmpdir(), 'cloche-drafts-'));
  const close = () => rm(directory, { recursive: true, force: true });
  try {
    const blobs = await S3BlobStore.open(settings, directory);
    const dispose = async () => {
      blobs[Symbol.dispose]();
      await close();
    };
    return { blobs, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await close();
    throw error instanceof S3AccessError ? new ConfigError(error.message) : error;
  }
}

function toUsedDirectory({ dataDirectory, filesDirectory }: InstallationConfig) {
  return filesDirectory === undefined
    ? { variable: 'CLOCHE_DATA' as const, path: dataDirectory }
    : { variable: 'CLOCHE_FILES' as const, path: filesDirectory };
}
