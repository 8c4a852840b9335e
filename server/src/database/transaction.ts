import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from './database.ts';
import { isRetryable } from './postgres-errors.ts';

/** The row has another version than the one that was read. */
export class StaleRowError extends Error {}

const MAX_ATTEMPTS = 5;
const MAX_DELAY_MS = 50;

/**
 * Runs `operation` in a transaction. If it fails because of another transaction, by a deadlock or with a row that
 * has changed since it was read, it runs again, so it must change nothing but the database.
 */
export async function runTransaction<T>(
  database: Database,
  operation: (trx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction().execute(operation);
    } catch (error) {
      const canRetry = error instanceof StaleRowError || isRetryable(error);
      if (attempt === MAX_ATTEMPTS || !canRetry) throw error;
      await sleep(Math.random() * MAX_DELAY_MS * attempt);
    }
  }
}
