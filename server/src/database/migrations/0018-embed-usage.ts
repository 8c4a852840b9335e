import type { Kysely } from 'kysely';

/** Adds the table that counts the views of embeds, and the bytes sent to them. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('embed_usage')
    .addColumn('token_id', 'text', (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('design_id', 'text', (column) => column.notNull())
    .addColumn('views', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('first_seen_at', 'text', (column) => column.notNull())
    .addColumn('last_seen_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('embed_usage_key', ['token_id', 'origin', 'day', 'design_id'])
    .execute();
  await database.schema.createIndex('embed_usage_by_day').on('embed_usage').column('day').execute();
}
