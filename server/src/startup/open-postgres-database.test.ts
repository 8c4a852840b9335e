import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { countLoadedModules } from '../../testing/count-loaded-modules.ts';
import {
  PASSWORD_USER,
  type PostgresServer,
  startPostgresServer,
} from '../../testing/postgres-server.ts';
import { runSql } from '../../testing/run-sql.ts';
import { createPostgresDatabase, createTemplate } from '../../testing/test-database.ts';
import { MIGRATIONS } from '../database/migrate.ts';
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
  return { messages, log: { warn: add, error: add } };
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
    WHERE application_name = 'cloche lock' AND datname = current_database()`;
  await endLock.execute(database);
  const isLocked = async () => {
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND database =
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

test('clocks that differ by more than 2 s are logged', async (t) => {
  const url = await createPostgresDatabase(server.url);
  const isLogged = async (aheadMs: number) => {
    const getTime = Date.now.bind(Date);
    const clock = t.mock.method(Date, 'now', () => getTime() + aheadMs);
    const { messages, close } = await open(t, url);
    clock.mock.restore();
    await close();
    return messages.some((message) => message.includes('clocks of this machine'));
  };
  assert.deepEqual([await isLogged(0), await isLogged(60_000)], [false, true]);
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
