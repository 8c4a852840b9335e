import type { Kysely } from 'kysely';

/** Adds the table of the removals of blobs that are not known to have ended. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('blob_removal')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('blob', 'text', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('blob_removal_by_blob')
    .on('blob_removal')
    .column('blob')
    .execute();
}
