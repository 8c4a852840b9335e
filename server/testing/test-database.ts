import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import pg from 'pg';
import type { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openPostgres, openPostgresPool } from '../src/database/postgres.ts';
import { openSqlite } from '../src/database/sqlite.ts';
import { POSTGRES_URL, toTestConnection, USES_POOLER, USES_POSTGRES } from './postgres-run.ts';
import { releaseAfter } from './release-after.ts';
import { runSql } from './run-sql.ts';
import { TestConnections } from './test-connections.ts';

/** The file in a data directory that contains the URL of its database, with PostgreSQL. */
const URL_FILE = 'database-url';
const TEMPLATE = 'cloche_template';
/** SQL that changes what emptying a database keeps. */
const CHANGES_SCHEMA = /\b(CREATE(?! TEMP)|ALTER|DROP|TRUNCATE|kysely|schema_version)/i;

/** A database of the tests on PostgreSQL. */
type PostgresTestDatabase = {
  url: string;
  /** How often it is open. */
  openCount: number;
  /** Whether a test has executed SQL that changes more than rows. Then no other test uses it. */
  isChanged: boolean;
  /** Direct connections, which the next test uses again. */
  connections: TestConnections;
};

/** The databases of data directories that are open, with PostgreSQL. */
const openDatabases = new Map<string, PostgresTestDatabase>();
/** Databases that are empty again. Creating one takes much longer than emptying one. */
const emptyDatabases: PostgresTestDatabase[] = [];

/** A migrated SQLite database without rows. Applying the migrations takes longer than most tests. */
let sqliteTemplate: Promise<Buffer> | undefined;

/** Opens a migrated database with its own data directory, closed after the test. */
export async function openTestDatabase(t: TestContext): Promise<Database> {
  const { database, close } = await openDatabaseIn(await openTemporaryDirectory(t));
  releaseAfter(t, close);
  return database;
}

/** Opens the migrated database of a data directory, or creates it. `close` deletes it if it is not open again. */
export async function openDatabaseIn(
  dataDirectory: string,
): Promise<{ database: Database; close: () => Promise<void> }> {
  if (USES_POSTGRES) return openPostgresDatabaseIn(dataDirectory);
  const path = join(dataDirectory, 'cloche.sqlite');
  const isNew = !existsSync(path);
  if (isNew) {
    sqliteTemplate ??= createSqliteTemplate();
    writeFileSync(path, await sqliteTemplate, { mode: 0o600 });
  }
  const database = openSqlite(path);
  if (!isNew) await migrate(database);
  return { database, close: () => database.destroy() };
}

async function createSqliteTemplate(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'cloche-template-'));
  const path = join(directory, 'cloche.sqlite');
  try {
    {
      await using database = openSqlite(path);
      await migrate(database);
    }
    return readFileSync(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Creates the migrated database of a service that does not run, with rows. It is deleted after the test. */
export async function createDatabaseIn(
  t: TestContext,
  dataDirectory: string,
  addRows: (database: Database) => Promise<void>,
): Promise<void> {
  const { database, close } = await openDatabaseIn(dataDirectory);
  await addRows(database);
  if (USES_POSTGRES) releaseAfter(t, close);
  else await close();
}

async function openPostgresDatabaseIn(dataDirectory: string) {
  const entry = openDatabases.get(dataDirectory) ?? (await createDatabaseFor(dataDirectory));
  entry.openCount += 1;
  const database = openTestConnection(entry);
  const close = async () => {
    await database.destroy();
    entry.openCount -= 1;
    if (entry.openCount > 0) return;
    for (const [directory, { url }] of openDatabases)
      if (url === entry.url) openDatabases.delete(directory);
    if (entry.isChanged) return dropDatabase(entry);
    await entry.connections.emptyDatabase();
    emptyDatabases.push(entry);
  };
  return { database, close };
}

/** Opens a database over the connections of tests before, or through the connection pooler. */
function openTestConnection({ url, connections }: PostgresTestDatabase): Database {
  const options = { ...toTestConnection(url), onError: () => {}, maxConnections: 5 };
  const lent = USES_POOLER ? undefined : connections.lend();
  return openPostgresPool(options, lent).database;
}

async function createDatabaseFor(dataDirectory: string): Promise<PostgresTestDatabase> {
  const entry = emptyDatabases.pop() ?? (await createEntry());
  writeFileSync(join(dataDirectory, URL_FILE), entry.url);
  openDatabases.set(dataDirectory, entry);
  return entry;
}

async function createEntry(): Promise<PostgresTestDatabase> {
  const url = await createPostgresDatabase(POSTGRES_URL ?? '');
  const connections = new TestConnections({ url, onError: () => {}, maxConnections: 10 });
  return { url, openCount: 0, isChanged: false, connections };
}

/**
 * Lets a copy of a data directory use the same database. With SQLite, the copy of the directory contains one.
 */
export function shareDatabase(dataDirectory: string, copy: string): void {
  const entry = openDatabases.get(dataDirectory);
  if (entry !== undefined) openDatabases.set(copy, entry);
}

/** Opens the database of a data directory once more, as another process would. Closed after the test. */
export function openDatabaseAgain(t: TestContext, dataDirectory: string): Database {
  const database = USES_POSTGRES
    ? openPostgres({
        ...toTestConnection(readUrl(dataDirectory)),
        onError: () => {},
        maxConnections: 2,
      })
    : openSqlite(join(dataDirectory, 'cloche.sqlite'));
  releaseAfter(t, () => database.destroy());
  return database;
}

/** The environment of a command that uses the database of a server. */
export function getDatabaseSettings({
  dataDirectory,
}: {
  dataDirectory: string;
}): NodeJS.ProcessEnv {
  return createSettings(dataDirectory, (url) => toTestConnection(url).url);
}

/** The environment of `restore` and `move`, which refuse a connection pooler. */
export function getDirectDatabaseSettings({
  dataDirectory,
}: {
  dataDirectory: string;
}): NodeJS.ProcessEnv {
  return createSettings(dataDirectory, (url) => url);
}

function createSettings(
  dataDirectory: string,
  toUrl: (databaseUrl: string) => string,
): NodeJS.ProcessEnv {
  const settings = { CLOCHE_DATA: dataDirectory };
  if (!USES_POSTGRES) return settings;
  const CLOCHE_GRANT_KEY = '0'.repeat(64);
  return { ...settings, CLOCHE_GRANT_KEY, CLOCHE_DATABASE_URL: toUrl(readUrl(dataDirectory)) };
}

type Row = Record<string, unknown>;

/** Runs SQL with `?` for each parameter, over a connection of its own, in either database. */
export type TestSql = {
  /** Runs one or several statements. */
  exec(sql: string): Promise<void>;
  all(sql: string, ...parameters: SQLInputValue[]): Promise<Row[]>;
  get(sql: string, ...parameters: SQLInputValue[]): Promise<Row | undefined>;
};

/** Connects to the database of a server, to see or to change what the API cannot. Closed after the test. */
export function connectToServerDatabase(
  t: TestContext,
  { dataDirectory }: { dataDirectory: string },
): TestSql {
  return !USES_POSTGRES
    ? connectToSqlite(t, join(dataDirectory, 'cloche.sqlite'))
    : connectToPostgres(t, dataDirectory);
}

function connectToSqlite(t: TestContext, path: string): TestSql {
  const connection = new DatabaseSync(path);
  releaseAfter(t, async () => connection.close());
  const all: TestSql['all'] = async (sql, ...parameters) =>
    connection
      .prepare(sql)
      .all(...parameters)
      .map((row) => ({ ...row }));
  return {
    exec: async (sql) => connection.exec(sql),
    all,
    get: async (...parameters) => (await all(...parameters))[0],
  };
}

function connectToPostgres(t: TestContext, dataDirectory: string): TestSql {
  const client = new pg.Client(readUrl(dataDirectory));
  client.on('error', () => {});
  const connected = client.connect();
  releaseAfter(t, async () => {
    await connected;
    await client.end();
  });
  const all: TestSql['all'] = async (sql, ...parameters) => {
    await connected;
    let index = 0;
    const numbered = sql.replaceAll('?', () => {
      index += 1;
      return `$${index}`;
    });
    const { rows } = await client.query({
      text: numbered,
      values: parameters,
      types: {
        getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)),
      },
    } as pg.QueryConfig);
    return rows;
  };
  return {
    exec: async (sql) => {
      const entry = openDatabases.get(dataDirectory);
      if (entry !== undefined && CHANGES_SCHEMA.test(sql)) entry.isChanged = true;
      await connected;
      await client.query(sql);
    },
    all,
    get: async (...parameters) => (await all(...parameters))[0],
  };
}

function readUrl(dataDirectory: string): string {
  return readFileSync(join(dataDirectory, URL_FILE), 'utf8');
}

/** Creates a database from the template of the server, and returns its URL. */
export async function createPostgresDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomUUID()}`;
  await runSql(serverUrl, `CREATE DATABASE "${name}" TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  return toDatabaseUrl(serverUrl, name);
}

/** Creates the migrated template of a server. Called once. */
export async function createTemplate(serverUrl: string): Promise<void> {
  await runSql(serverUrl, `CREATE DATABASE ${TEMPLATE}`);
  await using database = openPostgres({
    url: toDatabaseUrl(serverUrl, TEMPLATE),
    onError: () => {},
  });
  await migrate(database);
}

async function dropDatabase({ url, connections }: PostgresTestDatabase): Promise<void> {
  await connections.close();
  const name = new URL(url).pathname.slice(1);
  await runSql(POSTGRES_URL ?? '', `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

function toDatabaseUrl(serverUrl: string, name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
