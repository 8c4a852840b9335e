import type { Kysely } from 'kysely';

/** Adds the compressed form of an artifact, a blob of its own. Existing artifacts have none. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('artifact').addColumn('brotli_blob', 'text').execute();
  await database.schema.alterTable('artifact').addColumn('brotli_size_bytes', 'bigint').execute();
  await database.schema
    .createIndex('artifact_by_brotli_blob')
    .on('artifact')
    .column('brotli_blob')
    .execute();
}
