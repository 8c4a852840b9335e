import type { Kysely } from 'kysely';

/** Records which node leases a job. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('job').addColumn('node', 'text').execute();
}
