import type { Database } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-time.ts';

/** A node that was cut off for longer does not need them: it empties its caches. */
export const CHANGE_LIFETIME_MS = 60 * 60 * 1000;

/** Deletes the events that each node has received long ago, by the clock that also sets the time of each event. */
export async function deleteChanges(database: Database): Promise<void> {
  const now = await readDatabaseTime(database);
  const cutoff = new Date(now.getTime() - CHANGE_LIFETIME_MS);
  await database.deleteFrom('change').where('created_at', '<', cutoff.toISOString()).execute();
}
