import type { Kysely } from 'kysely';

/** Gives designs options for the viewer. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('design')
    .addColumn('viewer', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
}
