import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './locks.ts';

/** Reads which database this is. */
export async function readDatabaseVersion(
  database: Database,
): Promise<{ kind: 'sqlite' | 'postgres'; version: string }> {
  const kind = isPostgres(database) ? 'postgres' : 'sqlite';
  const query =
    kind === 'postgres'
      ? sql<{ version: string }>`SELECT current_setting('server_version') AS version`
      : sql<{ version: string }>`SELECT sqlite_version() AS version`;
  const { rows } = await query.execute(database);
  return { kind, version: rows[0]?.version ?? '' };
}
