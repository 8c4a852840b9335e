import type { Kysely } from 'kysely';

/** Adds the tables of sessions and of one-time links to sign in. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('session')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('token_id', 'text', (column) => column.notNull().references('token.id'))
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await database.schema.createIndex('session_by_token').on('session').column('token_id').execute();
  await database.schema
    .createTable('sign_in_link')
    .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('token_id', 'text', (column) => column.notNull().references('token.id'))
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
}
