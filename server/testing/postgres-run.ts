/**
 * The URL of a PostgreSQL server, with which the tests run a second time. `scripts/postgres-tests.ts` starts it.
 * Undefined: the tests use SQLite.
 */
export const POSTGRES_URL = process.env.TEST_POSTGRES_URL;

/** Whether the tests use PostgreSQL at the moment. */
export const USES_POSTGRES = POSTGRES_URL !== undefined;

/** The URL of a connection pooler in front of the server, through which the tests use it. Undefined: none. */
const POOLER_URL = process.env.TEST_POOLER_URL;

/** Whether the tests use PostgreSQL through a connection pooler. */
export const USES_POOLER = POOLER_URL !== undefined;

/** The options with which the tests open a database of the server. */
export function toTestConnection(databaseUrl: string): { url: string; isPooled: boolean } {
  if (POOLER_URL === undefined) return { url: databaseUrl, isPooled: false };
  const { port, password } = new URL(POOLER_URL);
  return { url: Object.assign(new URL(databaseUrl), { port, password }).href, isPooled: true };
}

/** The start of the reason of a test that is skipped with PostgreSQL. */
export const SQLITE_ONLY = 'SQLite only';

/** The option `skip` of a test that can only concern SQLite: why. The run with PostgreSQL lists these tests. */
export function sqliteOnly(reason: string): { skip: string | false } {
  return { skip: USES_POSTGRES && `${SQLITE_ONLY}: ${reason}` };
}

/** The option `skip` of a test that needs a direct connection to PostgreSQL: why. The run through a pooler lists these tests. */
export function directOnly(reason: string): { skip: string | false } {
  return { skip: USES_POOLER && `direct connection only: ${reason}` };
}
