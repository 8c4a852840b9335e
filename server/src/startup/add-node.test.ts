import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { type NodeConnection, usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { runSql } from '../../testing/run-sql.ts';
import type { Database } from '../database/database.ts';
import { MIGRATIONS, type Migrations } from '../database/migrate.ts';
import { openPostgres } from '../database/postgres.ts';
import { type JoinOptions, joinNodes } from './join-nodes.ts';
import { openPostgresDatabase } from './open-postgres-database.ts';

const REFUSAL = {
  name: 'ConfigError',
  message:
    /^CLOCHE_DATABASE_URL is .*, which needs Cloche .* or newer\..*does not know 9999-newer\. Nothing was changed/,
};
const LOG: JoinOptions['log'] = { info() {}, warn() {}, error() {} };

const { createDatabase } = usePostgresNodes();

/** Opens a database as a node does. It is closed after the test. */
async function open(t: TestContext, url: string, nodeId: string, migrations?: Migrations) {
  const options = { nodeId, stop() {}, ...(migrations && { migrations }) };
  const opened = await openPostgresDatabase(url, LOG, options);
  t.after(() => opened[Symbol.asyncDispose]());
  return opened.database;
}

/** Adds a node to those that use the database. It is removed after the test. */
async function join(t: TestContext, database: Database, url: string, id: string, log = LOG) {
  const node = { id, role: 'all', version: '0.0.9', files: 'f' } as const;
  const joined = await joinNodes(database, node, { url, log });
  t.after(() => joined[Symbol.asyncDispose]());
}

/** The migrations of a newer version. The last one calls `up`. */
function createNewerMigrations(t: TestContext, change: () => Promise<void> = async () => {}) {
  const up = t.mock.fn(change);
  return { up, migrations: { ...MIGRATIONS, '9999-newer': { up } } };
}

/** Waits until so many sessions wait for an advisory lock. */
async function waitForSessions(url: string, count: number): Promise<void> {
  await waitUntil(`${count} waiting sessions`, async () => {
    const { rows } = await runSql(
      url,
      `SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`,
    );
    return rows.length === count;
  });
}

async function listNodes(url: string): Promise<string[]> {
  const { rows } = await runSql(url, 'SELECT id FROM node ORDER BY id');
  return rows.map(({ id }) => id);
}

function openWithShortLockTimeout(t: TestContext, connection: NodeConnection): Database {
  const database = openPostgres({ ...connection, onError: () => {}, lockTimeoutMs: 50 });
  t.after(() => database.destroy());
  return database;
}

test('an older node that has opened the database before a newer one updates it, and joins after, is refused', async (t) => {
  const { url } = await createDatabase();
  const older = await open(t, url, 'older');
  const { up, migrations } = createNewerMigrations(t);
  await open(t, url, 'newer', migrations);
  assert.equal(up.mock.callCount(), 1);
  await assert.rejects(join(t, older, url, 'older'), REFUSAL);
  assert.deepEqual(await listNodes(url), []);
});

test('older nodes that open the database, or join, while a newer one updates it are refused when it has', async (t) => {
  const connection = await createDatabase();
  const { url } = connection;
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const { migrations } = createNewerMigrations(t, async () => {
    begun.resolve();
    await mayEnd.promise;
  });
  const older = openWithShortLockTimeout(t, connection);
  const newer = open(t, url, 'newer', migrations);
  await begun.promise;
  const warn = t.mock.fn((_: unknown) => {});
  const results = Promise.allSettled([
    open(t, url, 'opening'),
    join(t, older, url, 'joining', { ...LOG, warn }),
  ]);
  try {
    await waitUntil('the message', () => warn.mock.callCount() === 1);
    await waitForSessions(url, 2);
  } finally {
    mayEnd.resolve();
    await newer;
  }
  for (const result of await results)
    await assert.rejects(async () => {
      if (result.status === 'rejected') throw result.reason;
    }, REFUSAL);
  assert.equal(warn.mock.callCount(), 1);
  assert.match(String(warn.mock.calls[0]?.arguments[0]), /a node that updates the database/);
  assert.deepEqual(await listNodes(url), []);
});

test('a newer node does not update the database if an older one joins while it waits', async (t) => {
  const { url } = await createDatabase();
  const older = await open(t, url, 'older');
  const { up, migrations } = createNewerMigrations(t);
  const other = new pg.Client(url);
  await other.connect();
  await other.query('BEGIN');
  await other.query("SELECT pg_advisory_xact_lock(hashtextextended('cloche:nodes', 0))");
  const joining = join(t, older, url, 'older');
  await waitForSessions(url, 1);
  // PostgreSQL grants the lock in the order of the requests.
  const opening = open(t, url, 'newer', migrations);
  const refused = assert.rejects(opening, {
    name: 'ConfigError',
    message: /nodes of an older version are using: older \(0\.0\.9\)\. Nothing was changed/,
  });
  try {
    await Promise.race([refused, waitForSessions(url, 2)]);
  } finally {
    await other.end();
  }
  await joining;
  await refused;
  assert.equal(up.mock.callCount(), 0);
});

test('nodes of one version that start at once with an empty database all join', async (t) => {
  const { url } = await createDatabase();
  await runSql(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const ids = ['a', 'b', 'c'];
  const start = async (id: string) => join(t, await open(t, url, id), url, id);
  await Promise.all(ids.map(start));
  assert.deepEqual(await listNodes(url), ids);
});
