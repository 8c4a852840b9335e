import type { Kysely } from 'kysely';

type Tables = { user: { name: string; operator: number } };

/** Gives users a name, makes the first user an operator, and allows to disable a user. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('user')
    .addColumn('name', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await database.schema
    .alterTable('user')
    .addColumn('operator', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.alterTable('user').addColumn('disabled_at', 'text').execute();
  // Only the first start creates a user, so there is at most one.
  await (database as Kysely<Tables>)
    .updateTable('user')
    .set({ name: 'operator', operator: 1 })
    .execute();
  await database.schema.createIndex('user_by_name').unique().on('user').column('name').execute();
}
