import type { Kysely } from 'kysely';

/** Adds the Idempotency-Key of an upload that is in progress, hashed: a retry must not be refused because of the first request. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('upload_reservation').addColumn('key_hash', 'text').execute();
}
