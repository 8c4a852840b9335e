import type { Kysely } from 'kysely';

/** Adds to tokens who issued them, what they replace, and a version; adds the origins that use a token. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const name of ['issued_by', 'replaces', 'replaced_by']) {
    await database.schema
      .alterTable('token')
      .addColumn(name, 'text', (column) => column.references('token.id'))
      .execute();
  }
  await database.schema.alterTable('token').addColumn('replaced_at', 'text').execute();
  await database.schema
    .alterTable('token')
    .addColumn('scope_version', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema
    .createIndex('token_by_issuer')
    .on('token')
    .columns(['issued_by', 'created_at', 'id'])
    .execute();
  await database.schema
    .createTable('token_origin')
    .addColumn('token_id', 'text', (column) => column.notNull().references('token.id'))
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('token_origin_key', ['token_id', 'origin'])
    .execute();
}
