import type { Kysely } from 'kysely';

/** Adds the table by which several processes with one PostgreSQL database tell each other what has changed. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('change')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('transaction_id', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('change_by_transaction')
    .on('change')
    .column('transaction_id')
    .execute();
  await database.schema
    .createIndex('change_by_creation')
    .on('change')
    .column('created_at')
    .execute();
}
