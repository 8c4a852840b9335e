import { findUnusedGenerations } from '../blobs/blob-removals.ts';
import type { BlobRef, BlobStore } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';
import { replaceFile } from '../disk/durable-files.ts';
import { assertOutsideDataDirectory } from '../startup/assert-outside-data-directory.ts';
import type { PostgresLock } from '../startup/open-postgres-database.ts';
import { type BlobSizes, listReferencedBlobs, sumBytes } from './blob-list.ts';
import { checkBlobs, type OnProgress } from './check-blobs.ts';
import { copyBlobs } from './copy-blobs.ts';
import { copyRows, readSnapshot } from './copy-rows.ts';
import { describeDefects } from './describe-defects.ts';
import { assertNoOtherBlobs } from './empty-installation.ts';
import { getGrantKeyFile, readGrantKeyFile } from './grant-key-file.ts';
import { InstallationError } from './installation-error.ts';
import {
  describeDatabase,
  describeFiles,
  type InstallationConfig,
  lockInstallations,
  openLockedBlobs,
  openLockedDatabase,
  openUsedBlobs,
} from './open-installation.ts';
import { countAllRows, summarizeTable } from './read-rows.ts';
import { COPIED_TABLES } from './tables.ts';

export type MoveOptions = {
  from: InstallationConfig;
  to: InstallationConfig;
  /** The database of `from`, with the schema of this program. */
  database: Database;
  onProgress: OnProgress;
};

/** What the target has. Nothing of the source was changed. */
export type MoveResult = {
  rows: Record<string, number>;
  blobs: { count: number; bytes: number };
  copiedBlobs: number;
};

/**
 * Copies an installation that no service uses to an empty one of any kind, and checks every row and blob of the target.
 * After an interruption, it can be run again: the rows are written last, all or none.
 *
 * @throws {InstallationError | ConfigError}
 */
export async function move(options: MoveOptions): Promise<MoveResult> {
  const { from, to } = options;
  const isNewFolder = from.filesDirectory !== to.filesDirectory;
  await assertOutsideDataDirectory(to, isNewFolder ? '--to-files' : 'CLOCHE_FILES');
  await using locks = await lockInstallations([from, to]);
  // Awaited here: the locks end when this function returns.
  return await readSnapshot(options.database, (source) => moveSnapshot(options, source, locks));
}

async function moveSnapshot(
  { from, to, onProgress }: MoveOptions,
  source: Transaction,
  locks: PostgresLock,
): Promise<MoveResult> {
  const rows = await countAllRows(source);
  const sizes = await listReferencedBlobs(source);
  const generations = await findUnusedGenerations(source);
  const copiesRows = describeDatabase(from) !== describeDatabase(to);
  await using target = copiesRows ? await openLockedDatabase(to) : undefined;
  const isComplete = target !== undefined && (await hasSameRows(source, target, to));
  await copyGrantKey(from, to);
  const copiedBlobs = await moveBlobs({ from, to, sizes, generations, onProgress });
  if (target !== undefined && !isComplete) {
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    let done = 0;
    const onRows = (count: number) => {
      done += count;
      onProgress('rows copied', done, total);
    };
    // Last: with its rows, the target is complete.
    await target.transaction().execute(async (trx) => {
      await copyRows(source, trx, onRows);
      await locks.assertHeld();
    });
  } else await locks.assertHeld();
  return { rows, blobs: { count: sizes.size, bytes: sumBytes(sizes) }, copiedBlobs };
}

/**
 * Returns whether the target has the rows of the source: an earlier attempt has copied them.
 *
 * @throws {InstallationError} it has others
 */
async function hasSameRows(
  source: Transaction,
  target: Database,
  to: InstallationConfig,
): Promise<boolean> {
  const counts = Object.entries(await countAllRows(target)).filter(([, count]) => count > 0);
  if (counts.length === 0) return false;
  for (const [name, table] of COPIED_TABLES) {
    const expected = await summarizeTable(source, name, table);
    const found = await summarizeTable(target, name, table);
    if (expected.sha256 === found.sha256) continue;
    const list = counts.map(([other, count]) => `${other}: ${count}`).join(', ');
    throw new InstallationError(
      `There are other rows already in ${describeDatabase(to)} (${list}). Nothing was changed. Choose an empty database.`,
    );
  }
  return true;
}

type MoveBlobsOptions = Pick<MoveOptions, 'from' | 'to' | 'onProgress'> & {
  sizes: BlobSizes;
  generations: ReadonlyMap<BlobRef, number>;
};

async function moveBlobs(options: MoveBlobsOptions): Promise<number> {
  const { from, to, sizes, generations, onProgress } = options;
  await using source = await openUsedBlobs(from);
  if (describeFiles(from) === describeFiles(to)) {
    await assertAllCorrect(sizes, source.blobs, source.blobsPlace, onProgress);
    return 0;
  }
  await using target = await openLockedBlobs(to);
  const existing = await assertNoOtherBlobs(target.blobs, sizes, target.blobsPlace);
  const { count, defects } = await copyBlobs({
    sizes,
    open: (ref) => source.blobs.open(ref),
    target: target.blobs,
    existing,
    generations,
    onProgress,
  });
  if (defects.length > 0) {
    throw new InstallationError(
      `Not all files could be copied. ${describeDefects('file', defects)} Restore them, or delete their designs, and run it again.`,
    );
  }
  await assertAllCorrect(sizes, target.blobs, target.blobsPlace, onProgress);
  return count;
}

/** Reads all blobs. @throws {InstallationError} */
async function assertAllCorrect(
  sizes: BlobSizes,
  blobs: Pick<BlobStore, 'open'>,
  place: string,
  onProgress: OnProgress,
): Promise<void> {
  const defects = await checkBlobs(sizes, (ref) => blobs.open(ref), onProgress);
  if (defects.length === 0) return;
  throw new InstallationError(
    `In ${place}, ${describeDefects('file', defects)} Delete them, and run it again.`,
  );
}

/** A target with SQLite in another data directory gets the key, unless the key is a setting. */
async function copyGrantKey(from: InstallationConfig, to: InstallationConfig): Promise<void> {
  const [source, target] = [getGrantKeyFile(from), getGrantKeyFile(to)];
  if (source === undefined || target === undefined || source === target) return;
  const [key, existing] = [await readGrantKeyFile(source), await readGrantKeyFile(target)];
  if (key === undefined || key === existing) return;
  if (existing === undefined) return replaceFile(target, key);
  throw new InstallationError(
    `"${target}" exists, and is not the key of "${source}". Delete it, and run it again.`,
  );
}
