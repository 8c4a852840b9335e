import type { Kysely } from 'kysely';

const COLUMNS = ['revision_id', 'kind', 'blob', 'size_bytes', 'width', 'height'] as const;

type Artifact = Record<(typeof COLUMNS)[number], string>;
type Tables = { artifact: Artifact; new_artifact: Artifact };

/** Allows several artifacts of one kind, which differ by their level. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  // SQLite cannot change a primary key, so the table is created again.
  await schema
    .createTable('new_artifact')
    .addColumn('revision_id', 'text', (column) =>
      column.notNull().references('revision.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('level', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('blob', 'text', (column) => column.notNull())
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addPrimaryKeyConstraint('artifact_level_key', ['revision_id', 'kind', 'level'])
    .execute();
  await (database as Kysely<Tables>)
    .insertInto('new_artifact')
    .columns(COLUMNS)
    .expression((query) => query.selectFrom('artifact').select(COLUMNS))
    .execute();
  await schema.dropTable('artifact').execute();
  await schema.alterTable('new_artifact').renameTo('artifact').execute();
  await schema.createIndex('artifact_by_blob').on('artifact').column('blob').execute();
}
