import type { Kysely } from 'kysely';

/** Adds the table of the backups that are being made: no blob is deleted meanwhile. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('backup')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('renewed_at', 'text', (column) => column.notNull())
    .execute();
}
