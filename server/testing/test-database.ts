import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import pg from 'pg';
import type { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openPostgres } from '../src/database/postgres.ts';
import { openSqlite } from '../src/database/sqlite.ts';

/**
 * The URL of a PostgreSQL server, with which the tests run a second time. `scripts/run-postgres-tests.ts` starts
 * it. Undefined: the tests use SQLite.
 */
const POSTGRES_URL = process.env.TEST_POSTGRES_URL;

/** Whether the tests use PostgreSQL at the moment. */
export const USES_POSTGRES = POSTGRES_URL !== undefined;

/** The file in a data directory that contains the URL of its database, with PostgreSQL. */
const URL_FILE = 'database-url';
const TEMPLATE = 'cloche_template';

/** How often the database of each data directory is open, and its URL with PostgreSQL. */
const openDatabases = new Map<string, { count: number; url: string }>();

/** Opens a migrated database with its own data directory, closed after the test. */
export async function openTestDatabase(t: TestContext): Promise<Database> {
  const { database, close } = await openDatabaseIn(await openTemporaryDirectory(t));
  t.after(close);
  return database;
}

/** Opens the migrated database of a data directory, or creates it. `close` deletes it if it is not open again. */
export async function openDatabaseIn(
  dataDirectory: string,
): Promise<{ database: Database; close: () => Promise<void> }> {
  const url = POSTGRES_URL === undefined ? '' : await ensurePostgresDatabase(dataDirectory);
  const entry = openDatabases.get(dataDirectory) ?? { count: 0, url };
  openDatabases.set(dataDirectory, entry);
  entry.count += 1;
  const database =
    POSTGRES_URL === undefined
      ? openSqlite(join(dataDirectory, 'cloche.sqlite'))
      : openPostgres({ url, onError: () => {} });
  if (POSTGRES_URL === undefined) await migrate(database);
  const close = async () => {
    await database.destroy();
    entry.count -= 1;
    if (POSTGRES_URL !== undefined && entry.count === 0) await dropDatabase(url);
  };
  return { database, close };
}

/** Opens the database of a data directory once more, as another process would. Closed after the test. */
export function openDatabaseAgain(t: TestContext, dataDirectory: string): Database {
  const database =
    POSTGRES_URL === undefined
      ? openSqlite(join(dataDirectory, 'cloche.sqlite'))
      : openPostgres({ url: readUrl(dataDirectory), onError: () => {}, maxConnections: 2 });
  t.after(() => database.destroy());
  return database;
}

/** The environment of a command that uses the database of a server. */
export function getDatabaseSettings({
  dataDirectory,
}: {
  dataDirectory: string;
}): NodeJS.ProcessEnv {
  const settings = { CLOCHE_DATA: dataDirectory };
  if (POSTGRES_URL === undefined) return settings;
  const CLOCHE_GRANT_KEY = '0'.repeat(64);
  return { ...settings, CLOCHE_GRANT_KEY, CLOCHE_DATABASE_URL: readUrl(dataDirectory) };
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
  return POSTGRES_URL === undefined
    ? connectToSqlite(t, join(dataDirectory, 'cloche.sqlite'))
    : connectToPostgres(t, readUrl(dataDirectory));
}

function connectToSqlite(t: TestContext, path: string): TestSql {
  const connection = new DatabaseSync(path);
  t.after(() => connection.close());
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

function connectToPostgres(t: TestContext, url: string): TestSql {
  const client = new pg.Client(url);
  client.on('error', () => {});
  const connected = client.connect();
  t.after(async () => {
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

/** A copy of the migrated template, which takes less time than the migrations. */
async function ensurePostgresDatabase(dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, URL_FILE);
  if (!existsSync(file)) writeFileSync(file, await createPostgresDatabase(POSTGRES_URL ?? ''));
  return readUrl(dataDirectory);
}

/** Creates a database from the template of the server, and returns its URL. */
export async function createPostgresDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomUUID()}`;
  await runOnServer(serverUrl, `CREATE DATABASE "${name}" TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  return toDatabaseUrl(serverUrl, name);
}

/** Creates the migrated template of a server. Called once. */
export async function createTemplate(serverUrl: string): Promise<void> {
  await runOnServer(serverUrl, `CREATE DATABASE ${TEMPLATE}`);
  await using database = openPostgres({
    url: toDatabaseUrl(serverUrl, TEMPLATE),
    onError: () => {},
  });
  await migrate(database);
}

async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await runOnServer(POSTGRES_URL ?? '', `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

function toDatabaseUrl(serverUrl: string, name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

async function runOnServer(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
