import { PostgresAdapter, sql } from 'kysely';
import type { Database, Transaction } from './database.ts';

/** Whether the database is PostgreSQL, which other processes may be using. */
export function isPostgres(database: Database | Transaction): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Waits until no other transaction holds the lock with this name, and holds it until the end of this one.
 * In SQLite, only one transaction runs at a time.
 */
export async function lockUntilCommit(trx: Transaction, name: string): Promise<void> {
  if (!isPostgres(trx)) return;
  await sql`SELECT pg_advisory_xact_lock(${toLockId(name)})`.execute(trx);
}

/** An expression for the number that PostgreSQL identifies an advisory lock by. */
function toLockId(name: string) {
  return sql`hashtextextended(${`cloche:${name}`}, 0)`;
}
