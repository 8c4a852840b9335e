import type { Database } from '../database/database.ts';

/** A node that was cut off for longer does not need them: it empties its caches. */
const CHANGE_LIFETIME_MS = 60 * 60 * 1000;

/** Deletes the events that each node has received long ago. */
export async function deleteChanges(database: Database, now: Date): Promise<void> {
  const cutoff = new Date(now.getTime() - CHANGE_LIFETIME_MS);
  await database.deleteFrom('change').where('created_at', '<', cutoff.toISOString()).execute();
}
