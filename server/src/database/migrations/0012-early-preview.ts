import type { Kysely } from 'kysely';

/** Adds the previews of revisions whose models are still being made. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('early_preview')
    .addColumn('revision_id', 'text', (column) =>
      column.primaryKey().references('revision.id').onDelete('cascade'),
    )
    .addColumn('blob', 'text', (column) => column.notNull())
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('stats', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .execute();
}
