import type { Kysely } from 'kysely';

/** Adds the table of what each minute of the last day was like. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('metric_sample')
    .addColumn('taken_at', 'text', (column) => column.notNull())
    .addColumn('node', 'text', (column) => column.notNull())
    .addColumn('sample', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('metric_sample_key', ['taken_at', 'node'])
    .execute();
}
