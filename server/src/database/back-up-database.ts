import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Writes a copy of the database to a new file that only its owner can read. A crash leaves a complete copy
 * or none under that name.
 *
 * @throws {Problem} server.storage-full
 */
export async function backUpDatabase(database: Database, path: string): Promise<void> {
  const draft = `${path}.part`;
  try {
    // `VACUUM INTO` writes to an existing file if it is empty, and keeps its mode.
    await (await open(draft, 'w', 0o600)).close();
    await sql`VACUUM INTO ${draft}`.execute(database);
    await sync(draft);
    await rename(draft, path);
    await sync(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  await using file = await open(path);
  await file.sync();
}
