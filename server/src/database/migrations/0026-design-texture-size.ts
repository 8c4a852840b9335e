import type { Kysely } from 'kysely';

/** Gives designs a texture size of their own. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('design').addColumn('max_texture_size', 'integer').execute();
}
