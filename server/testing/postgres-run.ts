/**
 * The URL of a PostgreSQL server, with which the tests run a second time. `scripts/postgres-tests.ts` starts it.
 * Undefined: the tests use SQLite.
 */
export const POSTGRES_URL = process.env.TEST_POSTGRES_URL;

/** Whether the tests use PostgreSQL at the moment. */
export const USES_POSTGRES = POSTGRES_URL !== undefined;

/** The start of the reason of a test that is skipped with PostgreSQL. */
export const SQLITE_ONLY = 'SQLite only';

/** The option `skip` of a test that can only concern SQLite: why. The run with PostgreSQL lists these tests. */
export function sqliteOnly(reason: string): { skip: string | false } {
  return { skip: USES_POSTGRES && `${SQLITE_ONLY}: ${reason}` };
}
