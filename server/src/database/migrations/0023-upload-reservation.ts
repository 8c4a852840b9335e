import type { Kysely } from 'kysely';

/** Adds the table of the uploads in one request that are in progress: each node counted its own before. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('upload_reservation')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('designs', 'integer', (column) => column.notNull())
    .addColumn('node', 'text', (column) => column.notNull())
    .addColumn('leased_until', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('upload_reservation_by_user')
    .on('upload_reservation')
    .column('user_id')
    .execute();
}
