import { findUnusedGenerations } from '../blobs/blob-removals.ts';
import { replaceFile } from '../disk/durable-files.ts';
import { assertOutsideDataDirectory } from '../startup/assert-outside-data-directory.ts';
import { checkBlobs, type OnProgress } from './check-blobs.ts';
import { copyBlobs } from './copy-blobs.ts';
import { copyRows } from './copy-rows.ts';
import { describeDefects } from './describe-defects.ts';
import { assertNoOtherBlobs, assertNoRows, assertNoUsers } from './empty-installation.ts';
import { getGrantKeyFile, readGrantKeyFile } from './grant-key-file.ts';
import { InstallationError } from './installation-error.ts';
import type { Manifest } from './manifest.ts';
import { openBackup } from './open-backup.ts';
import {
  becomeServiceUser,
  describeDatabase,
  type InstallationConfig,
  lockInstallations,
  openLockedBlobs,
  openLockedDatabase,
} from './open-installation.ts';

export type RestoreOptions = {
  folder: string;
  config: InstallationConfig;
  onProgress: OnProgress;
};

/** What was restored. `grantKeyRestored`: the key of the backup is in the data directory. */
export type RestoreResult = { manifest: Manifest; grantKeyRestored: boolean };

/**
 * Restores a backup to an empty installation that no service uses. Everything is checked before the installation is
 * changed. After an interruption, it can be run again: the rows are written last, all or none.
 *
 * @throws {InstallationError}
 */
export async function restore({
  folder,
  config,
  onProgress,
}: RestoreOptions): Promise<RestoreResult> {
  // First: what root creates, such as the file of the lock, the service could not write to, or the owner not delete.
  becomeServiceUser(config);
  await assertOutsideDataDirectory(config);
  await assertNoUsers(config);
  await using backup = await openBackup(folder, onProgress);
  const grantKeyFile = getGrantKeyFile(config);
  await assertNoOtherGrantKey(grantKeyFile, backup.grantKey);
  await using locks = await lockInstallations([config]);
  await using target = await openLockedBlobs(config);
  const existing = await assertNoOtherBlobs(target.blobs, backup.blobs, target.blobsPlace);
  await using database = await openLockedDatabase(config);
  await assertNoRows(database, describeDatabase(config));
  const { defects } = await copyBlobs({
    sizes: backup.blobs,
    open: (ref) => backup.files.openBlob(ref),
    target: target.blobs,
    existing,
    generations: await findUnusedGenerations(backup.rows),
    onProgress,
  });
  if (defects.length > 0)
    throw new InstallationError(
      `The backup was changed during the restore. ${describeDefects('file', defects)}`,
    );
  const wrong = await checkBlobs(backup.blobs, (ref) => target.blobs.open(ref), onProgress);
  if (wrong.length > 0) {
    throw new InstallationError(
      `${target.blobsPlace} is not usable. ${describeDefects('file', wrong)} Delete what is there, and run it again.`,
    );
  }
  const grantKeyRestored = backup.grantKey !== undefined && grantKeyFile !== undefined;
  if (grantKeyRestored) await replaceFile(grantKeyFile, backup.grantKey as string);
  // Last: with its rows, the installation is complete.
  await database.transaction().execute(async (trx) => {
    await copyRows(backup.rows, trx);
    await locks.assertHeld();
  });
  return { manifest: backup.manifest, grantKeyRestored };
}

async function assertNoOtherGrantKey(
  path: string | undefined,
  key: string | undefined,
): Promise<void> {
  if (path === undefined) return;
  const text = await readGrantKeyFile(path);
  if (text === undefined || text === key) return;
  throw new InstallationError(
    `"${path}" exists, and is not the key of the backup. Nothing was changed. Delete it, or choose an empty data directory.`,
  );
}
