import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-time.ts';
import { lockUntilCommit } from '../database/locks.ts';
import { type Migrations, migrate } from '../database/migrate.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import type { Schema } from '../database/read-schema.ts';
import { ConfigError } from '../environment.ts';
import type { Logger } from '../http/logger.ts';
import { MAX_SILENCE_MS, NODES_LOCK, type NodeRecord } from '../nodes/node.ts';
import { NodeStore } from '../nodes/node-store.ts';
import {
  describeUrl,
  isKnownError,
  throwConnectionError,
  toConnectionError,
} from './postgres-connection-errors.ts';
import { watchMigration } from './watch-migration.ts';

export type UpdateSchemaOptions = {
  url: string;
  migrations: Migrations;
  /** The id of this node. */
  nodeId: string;
  isPooled: boolean;
  onError: (error: Error) => void;
  /** For what the update waits for. Default: not logged. */
  log?: Pick<Logger, 'info' | 'warn'>;
};

/**
 * Applies pending migrations.
 *
 * @throws {ConfigError} a newer program has changed the database, or nodes of an older one use it
 */
export async function updateSchema({
  url,
  migrations,
  nodeId,
  isPooled,
  onError,
  log = { info() {}, warn() {} },
}: UpdateSchemaOptions): Promise<void> {
  const { openPostgres } = await import('../database/postgres.ts');
  // A migration of a large table may take long. Nodes that start meanwhile wait for its lock.
  const timeouts = { statementTimeoutMs: 0, lockTimeoutMs: 0 };
  const options = { maxConnections: 2, ...timeouts, isPooled };
  await using database = openPostgres({ url, onError, ...options });
  await readSupportedSchema(url, database, migrations);
  await using watch = watchMigration(database, log);
  const onBegin = async (trx: Transaction) => {
    await watch.onBegin(trx);
    // Until the commit, no node joins. The lock of the migrations comes after this one: joining needs only this one.
    await lockUntilCommit(trx, NODES_LOCK);
    await assertMayUpdate(trx, { url, migrations, nodeId });
  };
  await migrate(database, migrations, onBegin).catch((error) => {
    throw isKnownError(error) ? toConnectionError(url, error) : error;
  });
}

/** @throws {ConfigError} */
async function assertMayUpdate(
  trx: Transaction,
  { url, migrations, nodeId }: Pick<UpdateSchemaOptions, 'url' | 'migrations' | 'nodeId'>,
): Promise<void> {
  // Another node may have updated the database while this one waited.
  const schema = await readSupportedSchema(url, trx, migrations);
  if (!isPending(schema, migrations)) return;
  const running = await listOtherNodes(trx, nodeId);
  if (running.length > 0) throwNodesRunning(url, running);
  await assertMayCreateTables(url, trx);
}

/** The error of a table that cannot be created is replaced in a transaction by that of the next statement. @throws {ConfigError} */
async function assertMayCreateTables(url: string, database: Database): Promise<void> {
  const { rows } = await sql<{
    allowed: boolean | null;
  }>`SELECT has_schema_privilege(current_schema(), 'CREATE') AS allowed`.execute(database);
  if (rows[0]?.allowed !== true) throwConnectionError(url, { code: '42501' });
}

/** @throws {ConfigError} a newer program has changed the database, or it cannot be opened */
export async function readSupportedSchema(
  url: string,
  database: Database,
  migrations: Migrations,
): Promise<Schema> {
  const schema = await readSchema(database).catch((error) => throwConnectionError(url, error));
  const unknown = schema.migrations.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return schema;
  throw new ConfigError(
    `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which needs Cloche ${schema.version ?? ''} or newer. This is Cloche ${PROGRAM_VERSION}, which does not know ${unknown.join(', ')}. Nothing was changed. Install that version, or restore a backup.`,
  );
}

/** Whether the database has not all tables of this program yet. */
export function isPending({ migrations: applied }: Schema, migrations: Migrations): boolean {
  return Object.keys(migrations).some((name) => !applied.includes(name));
}

/** Lists the nodes that run. Older versions know no nodes. */
async function listOtherNodes(database: Database, nodeId: string): Promise<NodeRecord[]> {
  if ((await readColumn(database, 'node', 'id')).length === 0) return [];
  const now = await readDatabaseTime(database);
  const nodes = await new NodeStore(database).list(new Date(now.getTime() - MAX_SILENCE_MS));
  return nodes.filter(({ id }) => id !== nodeId);
}

/** @throws {ConfigError} */
function throwNodesRunning(url: string, running: readonly NodeRecord[]): never {
  const names = running.map(({ id, version }) => `${id} (${version})`).join(', ');
  throw new ConfigError(
    `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which this version must update, and which nodes of an older version are using: ${names}. Nothing was changed. Stop them, then start this one again. A node that was killed counts for ${MAX_SILENCE_MS / 1000} seconds.`,
  );
}

async function readSchema(database: Database): Promise<Schema> {
  return {
    migrations: await readColumn(database, 'kysely_migration', 'name'),
    version: (await readColumn(database, 'schema_version', 'version'))[0],
  };
}

async function readColumn(database: Database, table: string, column: string): Promise<string[]> {
  const found = await sql<{ name: string | null }>`SELECT to_regclass(${table}) AS name`.execute(
    database,
  );
  if (!found.rows[0]?.name) return [];
  const { rows } = await sql<{
    value: string;
  }>`SELECT ${sql.ref(column)} AS value FROM ${sql.table(table)} ORDER BY value`.execute(database);
  return rows.map(({ value }) => value);
}
