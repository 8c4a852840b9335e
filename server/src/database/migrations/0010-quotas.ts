import type { Kysely } from 'kysely';

/** Gives users quotas of their own, and makes the sum of the bytes of a user fast. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const name of ['max_megabytes', 'max_designs'])
    await database.schema.alterTable('user').addColumn(name, 'integer').execute();
  await database.schema
    .createIndex('revision_by_size')
    .on('revision')
    .columns(['design_id', 'source_size_bytes'])
    .execute();
}
