import type { Kysely } from 'kysely';

/** Lets owners share designs: anyone with the link may see them. Existing designs are not shared. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('design')
    .addColumn('shared', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
