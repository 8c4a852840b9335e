import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { countLoadedModules } from '../../testing/count-loaded-modules.ts';
import {
  PASSWORD_USER,
  type PostgresServer,
  startPostgresServer,
} from '../../testing/postgres-server.ts';
import { runSql } from '../../testing/run-sql.ts';
import { createPostgresDatabase, createTemplate } from '../../testing/test-database.ts';
import { MIGRATIONS } from '../database/migrate.ts';
import { joinNodes } from './join-nodes.ts';
import { openCurrentPostgresDatabase, openPostgresDatabase } from './open-postgres-database.ts';

const POSTGRES_MODULES = /node_modules\/(pg|pg-[a-z-]+|pgpass|postgres-[a-z]+)\//;

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
  await createTemplate(server.url);
  await runSql(server.url, `CREATE ROLE ${PASSWORD_USER} LOGIN PASSWORD 's3cret'`);
});
after(() => server[Symbol.asyncDispose]());

/** A log that keeps its messages. */
function createLog() {
  const messages: string[] = [];
  const add = (_: unknown, message?: string) => void messages.push(message ?? String(_));
  return { messages, log: { info: add, warn: add, error: add } };
}

function changeUrl(changes: Partial<URL>): string {
  return Object.assign(new URL(server.url), changes).href;
}

/** Opens a database as the service does. It is closed after the test. */
async function open(t: TestContext, url: string, stop = () => {}, nodeId = 'node') {
  const { log, messages } = createLog();
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const { database } = stack.use(await openPostgresDatabase(url, log, { nodeId, stop }));
  return { database, messages, close: () => stack.disposeAsync() };
}

test('with SQLite, the service and its commands load no module of PostgreSQL', async () => {
  for (const file of ['serve.ts', 'commands/users-command.ts', 'commands/token-command.ts'])
    assert.equal(await countLoadedModules(file, POSTGRES_MODULES), 0, file);
  assert.ok((await countLoadedModules('database/postgres.ts', POSTGRES_MODULES)) > 5);
});

test('a database that cannot be opened is an error in one line that says what to do, without the password', async (t) => {
  const refused = { username: PASSWORD_USER, password: 'wr0ng' };
  const rows: [url: string, reason: RegExp][] = [
    [
      changeUrl({ port: '1' }),
      /on 127\.0\.0\.1:1, which cannot be reached \(ECONNREFUSED\)\. Start/,
    ],
    [changeUrl({ hostname: 'db.invalid' }), /cannot be reached \((ENOTFOUND|EAI_AGAIN)\)\. Start/],
    [changeUrl(refused), /which refuses the password\. Correct/],
    [changeUrl({ pathname: '/none' }), /"none".*a database that does not exist\. Create it/],
    [
      changeUrl({ username: PASSWORD_USER, password: 's3cret' }),
      /where the user may not create tables\. Make the user the owner/,
    ],
  ];
  for (const [url, reason] of rows) {
    const check = ({ name, message }: Error) => {
      assert.equal(name, 'ConfigError');
      assert.match(message, /^CLOCHE_DATABASE_URL is the database [^\n]*$/);
      assert.match(message, reason);
      assert.doesNotMatch(message, /wr0ng|s3cret/);
      return true;
    };
    await assert.rejects(open(t, url), check);
  }
});

test('a node with the id of another one is refused until that has stopped', async (t) => {
  const url = await createPostgresDatabase(server.url);
  const first = await open(t, url);
  await assert.rejects(open(t, url), {
    name: 'ConfigError',
    message: /^CLOCHE_DATABASE_URL is .*, which another node with the id node is using\./,
  });
  await open(t, await createPostgresDatabase(server.url));
  await open(t, url, () => {}, 'other');
  await first.close();
  await open(t, url);
});

test('a node that loses its lock to another one stops; if there is none, it gets the lock again', async (t) => {
  const url = await createPostgresDatabase(server.url);
  const stopped = Promise.withResolvers<void>();
  const { database, messages } = await open(t, url, stopped.resolve);
  const endLock = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name LIKE 'cloche lock %' AND datname = current_database()`;
  await endLock.execute(database);
  const isLocked = async () => {
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM pg_locks
      WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(database);
    return rows[0]?.count === 1;
  };
  while (!(await isLocked())) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(!messages.some((message) => message.includes('another node')));

  const rival = new pg.Client(url);
  await rival.connect();
  t.after(() => rival.end());
  const waiting = rival.query("SELECT pg_advisory_lock(hashtextextended('cloche:node:node', 0))");
  await endLock.execute(database);
  await waiting;
  await stopped.promise;
  assert.ok(
    messages.includes('another node with the same id uses the database now: this one stops'),
  );
});

test('a database of a newer version, or one that must be updated first, is not changed', async (t) => {
  const url = await createPostgresDatabase(server.url);
  const { log } = createLog();
  const newest = Object.keys(MIGRATIONS).at(-1) ?? '';
  const earlier = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, -1));
  await assert.rejects(
    openPostgresDatabase(url, log, { nodeId: 'node', stop() {}, migrations: earlier }),
    {
      name: 'ConfigError',
      message: new RegExp(
        `which needs Cloche .* or newer\\..*does not know ${newest}.*Nothing was changed`,
      ),
    },
  );
  await runSql(url, `DELETE FROM kysely_migration WHERE name = '${newest}'`);
  await assert.rejects(openCurrentPostgresDatabase(url), {
    name: 'ConfigError',
    message: /an older version\. Start this version of the service once/,
  });
  await runSql(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await assert.rejects(openCurrentPostgresDatabase(url), { name: 'ConfigError' });
  await open(t, url);
  await (await openCurrentPostgresDatabase(url)).destroy();
});

test('a node of a newer version does not update the database while another node runs', async (t) => {
  const url = await createPostgresDatabase(server.url);
  const { log } = createLog();
  const running = await open(t, url);
  const node = { id: 'running', role: 'all', version: '0.0.9', files: 'f' } as const;
  const joined = await joinNodes(running.database, node, { url, log });
  const up = t.mock.fn(async () => {});
  const migrations = { ...MIGRATIONS, '9999-newer': { up } };
  const openNewer = () =>
    openPostgresDatabase(url, log, { nodeId: 'newer', stop() {}, migrations });
  await assert.rejects(openNewer(), {
    name: 'ConfigError',
    message:
      /nodes of an older version are using: running \(0\.0\.9\)\. Nothing was changed\. Stop them/,
  });
  assert.equal(up.mock.callCount(), 0);
  await joined[Symbol.asyncDispose]();
  await using _newer = await openNewer();
  assert.equal(up.mock.callCount(), 1);
});

test('a node whose update waits for a session that uses a table says so, and that it goes on', async (t) => {
  const url = await createPostgresDatabase(server.url);
  await open(t, url);
  const messages: string[] = [];
  const waits: unknown[] = [];
  const warn = (wait: unknown, message?: string) => {
    waits.push(wait);
    messages.push(message ?? String(wait));
  };
  const log = {
    info: (message: unknown) => void messages.push(String(message)),
    warn,
    error: warn,
  };
  const reader = new pg.Client({ connectionString: url, application_name: 'report' });
  await reader.connect();
  await reader.query('BEGIN; SELECT FROM design');
  const { rows } = await reader.query('SELECT pg_backend_pid() AS pid');
  const up = async (database: Kysely<unknown>) =>
    database.schema.alterTable('design').addColumn('added', 'text').execute();
  const migrations = { ...MIGRATIONS, '9999-newer': { up } };
  const opening = openPostgresDatabase(url, log, { nodeId: 'newer', stop() {}, migrations });
  try {
    await waitUntil('the message', () => messages.some((text) => text.includes('waits for')));
  } finally {
    await reader.end();
  }
  await using _opened = await opening;
  const sessions = `process ${rows[0]?.pid} report idle in transaction`;
  // The state of a session that is just ending is reported once more.
  assert.deepEqual(waits[0], { lock: 'AccessExclusiveLock on design', sessions });
  assert.deepEqual(
    [...new Set(messages)],
    [
      'the update of the database waits for other sessions to end their transactions',
      'the update of the database no longer waits for other sessions',
    ],
  );
});

test('a node that starts while another one updates the database waits for it, however long that takes', async (t) => {
  const url = await createPostgresDatabase(server.url);
  const { log } = createLog();
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const up = t.mock.fn(async () => {
    begun.resolve();
    await mayEnd.promise;
  });
  const migrations = { ...MIGRATIONS, '9999-newer': { up } };
  const openNode = async (nodeId: string) => {
    const opened = await openPostgresDatabase(url, log, { nodeId, stop() {}, migrations });
    t.after(() => opened[Symbol.asyncDispose]());
  };
  const first = openNode('first');
  await begun.promise;
  const second = openNode('second');
  // Longer than other statements wait for a lock.
  const isWaiting = async () => {
    const { rows } = await runSql(
      url,
      `SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()
         AND clock_timestamp() - query_start > interval '11 s'`,
    );
    return rows.length === 1;
  };
  try {
    await Promise.race([second, waitUntil('the second node to wait', isWaiting)]);
  } finally {
    mayEnd.resolve();
    await Promise.all([first, second]);
  }
  assert.equal(up.mock.callCount(), 1);
});
