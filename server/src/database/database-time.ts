import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';
import { isPostgres } from './locks.ts';

/** Reads the clock that all nodes have in common: that of PostgreSQL, or with SQLite that of this machine. */
export async function readDatabaseTime(database: Database | Transaction): Promise<Date> {
  if (!isPostgres(database)) return new Date();
  const { rows } = await sql<{ time: Date }>`SELECT clock_timestamp() AS time`.execute(database);
  return rows[0]?.time ?? new Date();
}
