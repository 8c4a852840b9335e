import pg from 'pg';

/** The connections of databases that are used again: opening one takes as long as what it does. */
const pools = new Map<string, pg.Pool>();

/**
 * Deletes the rows of all tables, for the next test. Connections that the test has left open are ended, so that
 * none of them writes later.
 */
export async function emptyDatabase(url: string): Promise<void> {
  const pool = pools.get(url) ?? openPool(url);
  pools.set(url, pool);
  await pool.query(EMPTY_DATABASE_SQL);
}

/** Opens a pool of one connection, which does not keep the process alive. */
function openPool(url: string): pg.Pool {
  const options = { max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true };
  const pool = new pg.Pool({ connectionString: url, ...options });
  // The server stops first, or the database is deleted.
  pool.on('error', () => {});
  return pool;
}

/** Without the triggers of foreign keys: every table is emptied. */
const EMPTY_DATABASE_SQL = `
  SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  SET session_replication_role = replica;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%' AND tablename <> 'schema_version'
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  END $$`;
