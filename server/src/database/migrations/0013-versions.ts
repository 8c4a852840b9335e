import type { Kysely } from 'kysely';

/** Numbers the versions of designs and tokens, for requests with `If-Match`. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const table of ['design', 'token'])
    await database.schema
      .alterTable(table)
      .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
  await database.schema.alterTable('idempotency_key').addColumn('etag', 'text').execute();
}
