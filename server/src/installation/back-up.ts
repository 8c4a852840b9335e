import { createHash } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireBackupLease, type LeaseData } from '../blobs/backup-lease.ts';
import type { BlobStore, StoredBlob } from '../blobs/blob-store.ts';
import { recordBackup } from '../blobs/completed-backup.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import type { Database } from '../database/database.ts';
import { MIGRATIONS, migrate } from '../database/migrate.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import { makeSingleFile, openSqlite } from '../database/sqlite.ts';
import { replaceFile, syncDirectory } from '../disk/durable-files.ts';
import { BACKUP_PATHS, BackupFiles } from './backup-files.ts';
import { openBackupFolder } from './backup-folder.ts';
import { type BlobSizes, listReferencedBlobs, sumBytes } from './blob-list.ts';
import type { OnProgress } from './check-blobs.ts';
import { checkRows } from './check-rows.ts';
import { copyBlobs } from './copy-blobs.ts';
import { copyRows, readSnapshot } from './copy-rows.ts';
import { describeDefects } from './describe-defects.ts';
import { readGrantKeyFile } from './grant-key-file.ts';
import { InstallationError } from './installation-error.ts';
import { createManifest, MANIFEST_FILE, type Manifest } from './manifest.ts';
import { countAllRows } from './read-rows.ts';

export type BackUpOptions = {
  database: Database;
  blobs: Pick<BlobStore, 'open'>;
  kind: Manifest['kind'];
  /** The file of the grant key, if the key is not a setting. */
  grantKeyFile: string | undefined;
  folder: string;
  onProgress: OnProgress;
  /** The same database, over a connection of its own: that of `database` is in use while rows are read. */
  leaseData: LeaseData;
};

/** What a backup contains, and what was new in it. */
export type BackUpResult = { manifest: Manifest; copiedBlobs: number; copiedBytes: number };

const ROWS_DRAFT = 'rows.part';

/**
 * Backs up an installation that may be in use: the rows in one state, and all blobs that they reference. Blobs that the folder
 * has already are not copied again. An earlier backup in the folder is valid until this one is complete.
 *
 * @throws {InstallationError}
 */
export async function backUp(options: BackUpOptions): Promise<BackUpResult> {
  const { folder, onProgress, leaseData } = options;
  using _lock = await openBackupFolder(folder);
  // Before the rows are read: from then on, no blob is deleted.
  await using lease = await acquireBackupLease(leaseData);
  const rows = await writeRows(options);
  const target = await DiskBlobStore.open(join(folder, BACKUP_PATHS.blobs));
  const existing = await listBlobs(target, onProgress);
  const copied = await copyBlobs({
    sizes: rows.blobs,
    open: (ref) => options.blobs.open(ref),
    target,
    existing,
    onProgress,
  });
  if (copied.defects.length > 0) {
    const advice = lease.lost
      ? 'The backup was interrupted for minutes, so the service could delete them. Run it again.'
      : 'Run "cloche-server verify", and restore them or delete their designs.';
    throw new InstallationError(
      `The backup is not complete. ${describeDefects('file', copied.defects)} ${advice}`,
    );
  }
  const grantKeySha256 = await copyGrantKey(options);
  const manifest = createManifest({
    version: PROGRAM_VERSION,
    migrations: Object.keys(MIGRATIONS),
    createdAt: new Date().toISOString(),
    kind: options.kind,
    database: rows.file,
    rows: rows.counts,
    blobs: { count: rows.blobs.size, bytes: sumBytes(rows.blobs) },
    grantKeySha256,
  });
  await replaceFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await deleteUnusedBlobs(target, existing, rows.blobs);
  await deleteUnusedFiles(folder, [
    BACKUP_PATHS.toRows(rows.file.sha256),
    BACKUP_PATHS.toGrantKey(grantKeySha256 ?? ''),
  ]);
  await recordCompletion(leaseData, manifest);
  return { manifest, copiedBlobs: copied.count, copiedBytes: copied.bytes };
}

/** For operators, who want to know when the last backup was made. */
async function recordCompletion(
  { database, runWithReserve }: LeaseData,
  { createdAt, version, rows, blobs, database: file }: Manifest,
): Promise<void> {
  const record = {
    finished_at: createdAt,
    version,
    designs: rows.design ?? 0,
    files: blobs.count,
    bytes: blobs.bytes + file.sizeBytes,
  };
  await runWithReserve(() => recordBackup(database, record)).catch(() => {
    // The backup is complete all the same.
  });
}

/** Writes the rows to a new SQLite file, whose name contains its SHA-256. */
async function writeRows({ database, folder, onProgress }: BackUpOptions) {
  const draft = join(folder, ROWS_DRAFT);
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    await rm(`${draft}${suffix}`, { force: true });
  const { counts, blobs } = await copySnapshot(database, draft, onProgress);
  await using file = await new BackupFiles(folder).open(ROWS_DRAFT);
  await file?.sync();
  const summary = await new BackupFiles(folder).summarize(ROWS_DRAFT);
  if (summary === undefined) throw new InstallationError(`"${draft}" was deleted. Run it again.`);
  await rename(draft, join(folder, BACKUP_PATHS.toRows(summary.sha256)));
  await syncDirectory(folder);
  return { file: summary, counts, blobs };
}

async function copySnapshot(database: Database, path: string, onProgress: OnProgress) {
  const copy = openSqlite(path);
  try {
    await migrate(copy);
    const counts = await readSnapshot(database, async (snapshot) => {
      const expected = Object.values(await countAllRows(snapshot)).reduce((a, b) => a + b, 0);
      let done = 0;
      const onRows = (count: number) => {
        done += count;
        onProgress('rows copied', done, expected);
      };
      return copy.transaction().execute((trx) => copyRows(snapshot, trx, onRows));
    });
    await assertRestorable(copy, onProgress);
    const blobs = await listReferencedBlobs(copy);
    await makeSingleFile(copy);
    return { counts, blobs };
  } finally {
    await copy.destroy();
  }
}

/** Restoring refuses the same rows, when it may be too late to correct them. */
async function assertRestorable(rows: Database, onProgress: OnProgress): Promise<void> {
  const { defects } = await checkRows(rows, onProgress);
  if (defects.length === 0) return;
  throw new InstallationError(
    `The backup is not complete. ${describeDefects('row', defects)} Run "cloche-server verify --json", which lists them. If "revision_id" of a design is wrong, choose another revision for it with PATCH /v1/designs/{id}.`,
  );
}

async function listBlobs(
  store: { list(): AsyncIterable<StoredBlob> },
  onProgress: OnProgress,
): Promise<BlobSizes> {
  const sizes = new Map();
  for await (const { ref, sizeBytes } of store.list()) sizes.set(ref, sizeBytes);
  onProgress('files in the folder listed', sizes.size, sizes.size);
  return sizes;
}

/** Without the key, preview links of a restored service would not be valid. */
async function copyGrantKey({ grantKeyFile, folder }: BackUpOptions): Promise<string | null> {
  const text = grantKeyFile && (await readGrantKeyFile(grantKeyFile));
  if (text === undefined || text === '') return null;
  const sha256 = createHash('sha256').update(text).digest('hex');
  await replaceFile(join(folder, BACKUP_PATHS.toGrantKey(sha256)), text);
  return sha256;
}

async function deleteUnusedBlobs(
  target: DiskBlobStore,
  existing: BlobSizes,
  needed: BlobSizes,
): Promise<void> {
  for (const ref of existing.keys()) if (!needed.has(ref)) await target.remove(ref);
}

/** Deletes the rows and grant keys of earlier backups, also of those that were interrupted. */
async function deleteUnusedFiles(folder: string, used: readonly string[]): Promise<void> {
  for (const name of await readdir(folder))
    if (/^(rows-.*\.sqlite|grant-.*\.key)$/.test(name) && !used.includes(name))
      await rm(join(folder, name));
}
