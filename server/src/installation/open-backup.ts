import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { MIGRATIONS, migrate } from '../database/migrate.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import { openSqlite, openUntrustedSqlite } from '../database/sqlite.ts';
import { BACKUP_PATHS, BackupFiles } from './backup-files.ts';
import { assertBackupSchema } from './backup-schema.ts';
import { type BlobSizes, listReferencedBlobs, sumBytes } from './blob-list.ts';
import { checkBlobs, type OnProgress } from './check-blobs.ts';
import { checkRows } from './check-rows.ts';
import { copyRows } from './copy-rows.ts';
import { describeDefects } from './describe-defects.ts';
import { InstallationError } from './installation-error.ts';
import { MANIFEST_FILE, MAX_MANIFEST_BYTES, type Manifest, parseManifest } from './manifest.ts';

/** A backup in which everything was checked. */
export type OpenedBackup = AsyncDisposable & {
  manifest: Manifest;
  files: BackupFiles;
  /** The rows, in a database that this program has created. */
  rows: Database;
  blobs: BlobSizes;
  grantKey: string | undefined;
};

const MAX_GRANT_KEY_BYTES = 4096;

/**
 * Opens a backup that anyone may have written, and checks all of it: the rows are copied to a new database, whose constraints
 * apply, and the bytes of every blob are read.
 *
 * @throws {InstallationError} the backup is not complete or not valid, or needs a newer program
 */
export async function openBackup(folder: string, onProgress: OnProgress): Promise<OpenedBackup> {
  const files = new BackupFiles(folder);
  const manifest = await readManifest(files);
  assertVersionSupported(manifest);
  const rowsFile = BACKUP_PATHS.toRows(manifest.database.sha256);
  const summary = await files.summarize(rowsFile);
  if (summary === undefined) throw createBackupError(`its file "${rowsFile}" is missing`);
  if (
    summary.sha256 !== manifest.database.sha256 ||
    summary.sizeBytes !== manifest.database.sizeBytes
  )
    throw createBackupError(`its file "${rowsFile}" was changed or is not complete`);
  const grantKey = await readGrantKey(files, manifest);
  await using resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'cloche-backup-'));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const rows = resources.use(
    await copyToNewDatabase(join(folder, rowsFile), directory, manifest, onProgress),
  );
  const blobs = await listReferencedBlobs(rows);
  assertSameBlobs(manifest, blobs);
  const defects = await checkBlobs(
    blobs,
    (ref) => files.openBlob(ref),
    onProgress,
    'files of the backup checked',
  );
  if (defects.length > 0) throw createBackupError(describeDefects('file', defects));
  const moved = resources.move();
  const close = () => moved.disposeAsync();
  return { manifest, files, rows, blobs, grantKey, [Symbol.asyncDispose]: close };
}

async function readManifest(files: BackupFiles): Promise<Manifest> {
  const text = await files.readText(MANIFEST_FILE, MAX_MANIFEST_BYTES);
  if (text !== undefined) return parseManifest(text);
  throw new InstallationError(
    `"${files.folder}" has no file "${MANIFEST_FILE}": there is no backup in it, or one that is not complete. Run the backup again.`,
  );
}

function assertVersionSupported({ version, migrations }: Manifest): void {
  const unknown = migrations.filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length === 0) return;
  throw new InstallationError(
    `The backup needs Cloche ${version} or newer. This is Cloche ${PROGRAM_VERSION}, which does not know ${unknown.slice(0, 3).join(', ')}. Install that version.`,
  );
}

async function readGrantKey(
  files: BackupFiles,
  { grantKeySha256 }: Manifest,
): Promise<string | undefined> {
  if (grantKeySha256 === null) return undefined;
  const name = BACKUP_PATHS.toGrantKey(grantKeySha256);
  const summary = await files.summarize(name);
  const text = await files.readText(name, MAX_GRANT_KEY_BYTES);
  const isValid = text !== undefined && /^([0-9a-f]{2}){32,}$/i.test(text);
  if (isValid && summary?.sha256 === grantKeySha256) return text;
  throw createBackupError(`its file "${name}" is missing, or was changed`);
}

/** Copies the rows to a new database of this program, so that no part of the schema of the file is used. */
async function copyToNewDatabase(
  path: string,
  directory: string,
  manifest: Manifest,
  onProgress: OnProgress,
): Promise<Database> {
  await using file = await openCurrent(path, directory, manifest);
  const { counts, defects } = await readUntrusted(() => checkRows(file, onProgress));
  if (defects.length > 0) throw createBackupError(describeDefects('row', defects));
  const names = new Set([...Object.keys(counts), ...Object.keys(manifest.rows)]);
  for (const name of names) {
    if ((counts[name] ?? 0) === (manifest.rows[name] ?? 0)) continue;
    throw createBackupError(
      `its manifest says ${manifest.rows[name] ?? 0} rows of "${name}", and there are ${counts[name] ?? 0}`,
    );
  }
  const copy = openSqlite(join(directory, 'rows.sqlite'));
  try {
    await migrate(copy);
    await readUntrusted(() => copy.transaction().execute((trx) => copyRows(file, trx)));
    return copy;
  } catch (error) {
    await copy.destroy();
    throw error;
  }
}

/** Opens the rows as they are, or a copy that is updated if the backup is older than this program. */
async function openCurrent(
  path: string,
  directory: string,
  { migrations }: Manifest,
): Promise<Database> {
  const file = openUntrustedSqlite(path);
  const isCurrent = migrations.length === Object.keys(MIGRATIONS).length;
  try {
    await readUntrusted(() => assertBackupSchema(file, migrations, { isCurrent }));
    if (isCurrent) return file;
  } catch (error) {
    await file.destroy();
    throw error;
  }
  await file.destroy();
  const copyPath = join(directory, 'older.sqlite');
  await copyFile(path, copyPath);
  const copy = openSqlite(copyPath);
  try {
    await sql`PRAGMA trusted_schema = OFF`.execute(copy);
    await readUntrusted(() => migrate(copy));
    await assertBackupSchema(copy, Object.keys(MIGRATIONS), { isCurrent: true });
    return copy;
  } catch (error) {
    await copy.destroy();
    throw error;
  }
}

function assertSameBlobs({ blobs: { count, bytes } }: Manifest, blobs: BlobSizes): void {
  if (blobs.size === count && sumBytes(blobs) === bytes) return;
  throw createBackupError(
    `its manifest says ${count} files with ${bytes} bytes, and the rows ${blobs.size} with ${sumBytes(blobs)}`,
  );
}

/** Errors of SQLite are those of the file. */
async function readUntrusted<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_SQLITE_ERROR' && code !== 'ERR_OUT_OF_RANGE') throw error;
    throw createBackupError(`its rows are not valid (${message})`);
  }
}

function createBackupError(reason: string): InstallationError {
  return new InstallationError(`The backup is not valid: ${reason}`.replace(/\.?$/, '.'));
}
