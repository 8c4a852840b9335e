import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from './database.ts';
import { isRetryable } from './postgres-errors.ts';

const MAX_ATTEMPTS = 5;
const MAX_DELAY_MS = 50;

/**
 * Runs `operation` in a transaction. If it fails because of another transaction, such as by a deadlock, it runs again: whatever
 * else it changes must be the same after a second run.
 */
export async function runTransaction<T>(
  database: Database,
  operation: (trx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction().execute(operation);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
      await sleep(Math.random() * MAX_DELAY_MS * attempt);
    }
  }
}
