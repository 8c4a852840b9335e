import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';

/** Reads the clock of PostgreSQL, which is the same for all nodes. */
export async function readDatabaseTime(database: Database | Transaction): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`SELECT clock_timestamp() AS time`.execute(database);
  return rows[0]?.time ?? new Date();
}
