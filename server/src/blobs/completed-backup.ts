import type { BackupState } from '@cloche/contract/system';
import type { CompletedBackupRow, Database } from '../database/database.ts';
import { isBackupRunning } from './backup-lease.ts';

/** Records the last backup of an installation. */
export async function recordBackup(
  database: Database,
  backup: Omit<CompletedBackupRow, 'id'>,
): Promise<void> {
  await database
    .insertInto('completed_backup')
    .values({ id: 'last', ...backup })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(backup))
    .execute();
}

/** Reads the last backup, and whether one is being made. */
export async function readBackupState(database: Database): Promise<BackupState> {
  const row = await database.selectFrom('completed_backup').selectAll().executeTakeFirst();
  const running = await isBackupRunning(database);
  if (row === undefined) return { last: null, running };
  const { finished_at: finishedAt, version, designs, files, bytes } = row;
  return { last: { finishedAt, version, designs, files, bytes }, running };
}
