import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { isPostgres } from '../database/locks.ts';
import type { ServiceEvent } from './event.ts';

/** The channel of NOTIFY: new rows of `change` are visible. */
export const CHANGE_CHANNEL = 'cloche_change';

/**
 * Tells the other processes what has changed: when the transaction commits, or at once without one. This process
 * updates its own caches itself. The time is that of the database: the clocks of nodes differ. Does nothing with SQLite,
 * which only one service uses.
 */
export async function publishEvent(event: ServiceEvent, db: Database | Transaction): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`
    WITH added AS (
      INSERT INTO change (id, payload, transaction_id, created_at)
      VALUES (
        ${randomUUID()},
        ${JSON.stringify(event)},
        pg_current_xact_id()::text::bigint,
        to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      )
    )
    SELECT pg_notify(${CHANGE_CHANNEL}, '')`.execute(db);
}
