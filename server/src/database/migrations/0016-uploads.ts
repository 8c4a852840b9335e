import type { Kysely } from 'kysely';

/** Adds the tables of resumable uploads, which were files of one node before. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('upload')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('size_bytes', 'bigint')
    .addColumn('offset_bytes', 'bigint', (column) => column.notNull())
    .addColumn('parsed_metadata', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text')
    .addColumn('creates_design', 'integer', (column) => column.notNull())
    .addColumn('creation_key_hash', 'text', (column) => column.unique())
    .addColumn('creation_request_hash', 'text')
    .addColumn('initial_bytes', 'text')
    .addColumn('result', 'text')
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('node', 'text')
    .addColumn('leased_until', 'text')
    .addColumn('stop_requested', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .execute();
  await database.schema.createIndex('upload_by_user').on('upload').column('user_id').execute();
  await database.schema
    .createTable('upload_segment')
    .addColumn('upload_id', 'text', (column) =>
      column.notNull().references('upload.id').onDelete('cascade'),
    )
    .addColumn('start_bytes', 'bigint', (column) => column.notNull())
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('upload_segment_key', ['upload_id', 'start_bytes'])
    .execute();
}
