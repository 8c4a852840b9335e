import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { acquireDataDirectoryLock } from '../startup/data-directory-lock.ts';
import { toDatabasePath } from '../startup/open-database.ts';
import { lockPostgresDatabase } from '../startup/open-postgres-database.ts';
import type { BlobSizes } from './blob-list.ts';
import { InstallationError } from './installation-error.ts';
import { describeDatabase, type InstallationConfig } from './open-installation.ts';
import { countAllRows } from './read-rows.ts';

/**
 * Asserts that an installation has no users and that no service uses it. Changes nothing.
 *
 * @throws {InstallationError | ConfigError}
 */
export async function assertNoUsers(config: InstallationConfig): Promise<void> {
  const hasUsers =
    config.database.kind === 'postgres'
      ? await hasPostgresUsers(config.database.url)
      : hasSqliteUsers(config.dataDirectory);
  if (!hasUsers) return;
  throw new InstallationError(
    `There is an installation already: ${describeDatabase(config)} has users. Nothing was changed. Choose an empty database.`,
  );
}

async function hasPostgresUsers(url: string): Promise<boolean> {
  await using _lock = await lockPostgresDatabase(url);
  const { openPostgres } = await import('../database/postgres.ts');
  await using database = openPostgres({ url, onError: () => {}, maxConnections: 1 });
  const { rows: tables } = await sql<{
    name: string | null;
  }>`SELECT to_regclass('"user"') AS name`.execute(database);
  if (!tables[0]?.name) return false;
  const { rows } = await sql`SELECT 1 FROM "user" LIMIT 1`.execute(database);
  return rows.length > 0;
}

function hasSqliteUsers(dataDirectory: string): boolean {
  if (!existsSync(dataDirectory)) return false;
  using _lock = acquireDataDirectoryLock(dataDirectory);
  const path = toDatabasePath(dataDirectory);
  if (!existsSync(path)) return false;
  using file = new DatabaseSync(path, { readOnly: true });
  const table = file.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'user'");
  if (table.get() === undefined) return false;
  return file.prepare('SELECT 1 FROM user LIMIT 1').get() !== undefined;
}

/** Asserts that no table has rows. @param place names the database, for the message */
export async function assertNoRows(database: Database, place: string): Promise<void> {
  const counts = Object.entries(await countAllRows(database)).filter(([, count]) => count > 0);
  if (counts.length === 0) return;
  const list = counts.map(([name, count]) => `${name}: ${count}`).join(', ');
  throw new InstallationError(
    `There are rows already in ${place} (${list}). Nothing was changed. Choose an empty database.`,
  );
}

/**
 * Asserts that a store has no other blobs than the expected ones, and returns those with their sizes: an attempt that was
 * interrupted leaves them. The service would delete others, which no row references.
 */
export async function assertNoOtherBlobs(
  store: Pick<BlobStore, 'list'>,
  expected: BlobSizes,
  place: string,
): Promise<BlobSizes> {
  const found = new Map();
  for await (const { ref, sizeBytes } of store.list()) {
    if (!expected.has(ref)) {
      throw new InstallationError(
        `There are files of other designs in ${place}, such as ${ref}. Nothing was changed. Choose an empty place, or delete them.`,
      );
    }
    found.set(ref, sizeBytes);
  }
  return found;
}
