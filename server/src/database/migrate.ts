import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database, Transaction } from './database.ts';
import { isPostgres, lockUntilCommit } from './locks.ts';
import * as initial from './migrations/0001-initial.ts';
import * as tokenLineage from './migrations/0002-token-lineage.ts';
import * as designFields from './migrations/0003-design-fields.ts';
import * as users from './migrations/0004-users.ts';
import * as artifactLevels from './migrations/0005-artifact-levels.ts';
import * as artifactEncoding from './migrations/0006-artifact-encoding.ts';
import * as designProcessingOptions from './migrations/0007-design-processing-options.ts';
import * as viewerOptions from './migrations/0008-viewer-options.ts';
import * as sharedDesigns from './migrations/0009-shared-designs.ts';
import * as quotas from './migrations/0010-quotas.ts';
import * as jobNode from './migrations/0011-job-node.ts';
import * as earlyPreview from './migrations/0012-early-preview.ts';
import * as versions from './migrations/0013-versions.ts';
import * as change from './migrations/0014-change.ts';
import * as nodes from './migrations/0015-nodes.ts';
import * as uploads from './migrations/0016-uploads.ts';
import * as backup from './migrations/0017-backup.ts';
import * as embedUsage from './migrations/0018-embed-usage.ts';
import * as lease from './migrations/0019-lease.ts';
import * as sessions from './migrations/0020-sessions.ts';
import * as operator from './migrations/0021-operator.ts';
import * as metricSample from './migrations/0022-metric-sample.ts';
import * as uploadReservation from './migrations/0023-upload-reservation.ts';
import * as reservationKey from './migrations/0024-reservation-key.ts';
import * as blobRemoval from './migrations/0025-blob-removal.ts';
import * as designTextureSize from './migrations/0026-design-texture-size.ts';
import { PROGRAM_VERSION } from './program-version.ts';

/** Migrations by name, in the order of their names. */
export type Migrations = Readonly<Record<string, Migration>>;

/** All migrations of this program. */
export const MIGRATIONS: Migrations = {
  '0001-initial': initial,
  '0002-token-lineage': tokenLineage,
  '0003-design-fields': designFields,
  '0004-users': users,
  '0005-artifact-levels': artifactLevels,
  '0006-artifact-encoding': artifactEncoding,
  '0007-design-processing-options': designProcessingOptions,
  '0008-viewer-options': viewerOptions,
  '0009-shared-designs': sharedDesigns,
  '0010-quotas': quotas,
  '0011-job-node': jobNode,
  '0012-early-preview': earlyPreview,
  '0013-versions': versions,
  '0014-change': change,
  '0015-nodes': nodes,
  '0016-uploads': uploads,
  '0017-backup': backup,
  '0018-embed-usage': embedUsage,
  '0019-lease': lease,
  '0020-sessions': sessions,
  '0021-operator': operator,
  '0022-metric-sample': metricSample,
  '0023-upload-reservation': uploadReservation,
  '0024-reservation-key': reservationKey,
  '0025-blob-removal': blobRemoval,
  '0026-design-texture-size': designTextureSize,
};

/**
 * Applies the migrations that were not applied yet, all in one transaction. With them it records the
 * version of this program, so that an older program can say which version the database needs.
 *
 * @param onBegin runs at the beginning of the transaction. If it throws, nothing is changed. Only with PostgreSQL
 */
export async function migrate(
  database: Database,
  migrations: Migrations = MIGRATIONS,
  onBegin?: (trx: Transaction) => Promise<void>,
): Promise<void> {
  const recording = Object.entries(migrations).map(([name, { up }]): [string, Migration] => [
    name,
    { up: (db) => up(db).then(() => recordVersion(db)) },
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(recording) };
  const run = async (db: Database) => {
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    if (error !== undefined) throw error;
  };
  // A lock of the transaction: the one of the library belongs to a connection, which a connection pooler gives to others.
  if (!isPostgres(database)) return run(database);
  await database.transaction().execute(async (trx) => {
    await onBegin?.(trx);
    await lockUntilCommit(trx, 'migrations');
    await run(trx);
  });
}

async function recordVersion(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('version', 'text', (column) => column.notNull())
    .execute();
  const versions = db as Kysely<{ schema_version: { version: string } }>;
  await versions.deleteFrom('schema_version').execute();
  await versions.insertInto('schema_version').values({ version: PROGRAM_VERSION }).execute();
}
