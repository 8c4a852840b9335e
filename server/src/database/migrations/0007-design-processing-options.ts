import type { Kysely } from 'kysely';

/** Gives designs a triangle budget of their own. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('design').addColumn('max_triangles', 'integer').execute();
}
