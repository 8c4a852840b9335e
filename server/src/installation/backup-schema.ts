import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { InstallationError } from './installation-error.ts';
import { COPIED_TABLES } from './tables.ts';

/** The tables that the migrations need, next to those of `tables.ts`. */
const MIGRATION_TABLE = 'kysely_migration';

/**
 * Asserts that a file contains ordinary tables and indexes only, with the columns that this program reads. Triggers, views and
 * virtual tables would run code that an attacker chose.
 */
export async function assertBackupSchema(
  database: Database,
  migrations: readonly string[],
  { isCurrent }: { isCurrent: boolean },
): Promise<void> {
  const { rows: entries } = await sql<{
    type: string;
    name: string;
  }>`SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index')`.execute(database);
  if (entries.length > 0) throw createSchemaError(`it has a ${entries[0]?.type}`);
  const { rows: tables } = await sql<{
    name: string;
    type: string;
  }>`SELECT name, type FROM pragma_table_list WHERE schema = 'main'`.execute(database);
  if (tables.some(({ type }) => type !== 'table')) throw createSchemaError('it has virtual tables');
  const names = tables.map(({ name }) => name);
  if (!names.includes(MIGRATION_TABLE)) throw createSchemaError('it has no list of migrations');
  const { rows: applied } = await sql<{
    name: string;
  }>`SELECT name FROM ${sql.table(MIGRATION_TABLE)} ORDER BY name`.execute(database);
  const appliedNames = applied.map(({ name }) => name).join();
  if (appliedNames !== migrations.toSorted().join())
    throw createSchemaError('its migrations are not those of the manifest');
  if (!isCurrent) return;
  for (const [name, { columns }] of COPIED_TABLES) {
    if (!names.includes(name)) throw createSchemaError(`it has no table "${name}"`);
    const { rows } = await sql<{
      name: string;
      hidden: number;
    }>`SELECT name, hidden FROM pragma_table_xinfo(${name})`.execute(database);
    const found = rows.filter(({ hidden }) => hidden === 0).map((column) => column.name);
    const expected = Object.keys(columns);
    if (found.length !== rows.length || found.toSorted().join() !== expected.toSorted().join())
      throw createSchemaError(`the columns of its table "${name}" are others`);
  }
}

function createSchemaError(reason: string): InstallationError {
  return new InstallationError(`The backup is not valid: its rows file was changed: ${reason}.`);
}
