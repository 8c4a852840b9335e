import { type Kysely, sql } from 'kysely';

/** Adds an index of failed revisions, and the table of the last complete backup. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createIndex('revision_failed')
    .on('revision')
    .columns(['created_at', 'id'])
    .where(sql.ref('status'), '=', sql.lit('failed'))
    .execute();
  await schema.createIndex('job_by_time').on('job').columns(['created_at', 'id']).execute();
  await schema
    .createTable('completed_backup')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('finished_at', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('designs', 'integer', (column) => column.notNull())
    .addColumn('files', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute();
}
