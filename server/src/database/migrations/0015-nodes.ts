import type { Kysely } from 'kysely';

/** Adds the table of the nodes, and of the blobs that they are storing. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('node')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('files', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createTable('retained_blob')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('blob', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('retained_blob_by_blob')
    .on('retained_blob')
    .column('blob')
    .execute();
}
