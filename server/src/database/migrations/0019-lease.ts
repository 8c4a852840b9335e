import type { Kysely } from 'kysely';

/** Adds the table of the tasks that only one node may run at a time. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('lease')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'text', (column) => column.notNull())
    .execute();
}
