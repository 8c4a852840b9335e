import pg from 'pg';

const TIMEOUT_MS = 5_000;

/**
 * Whether a connection pooler such as PgBouncer is between this process and the database. It may use another connection to the
 * database for each transaction, so nothing that belongs to a connection can be used: no LISTEN, no lock and no setting.
 *
 * A server tells each client the id of its process, with which the client could cancel a query. A pooler tells an id of its own.
 */
export async function isBehindPooler(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'cloche check',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => {
    // The query fails as well.
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return rows[0]?.pid !== (client as unknown as { processID: number }).processID;
  } finally {
    client.end().catch(() => {
      // It was not connected.
    });
  }
}
