import pg from 'pg';

/** Runs SQL over a connection of its own, on the PostgreSQL server or database of a URL. */
export async function runSql(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}
