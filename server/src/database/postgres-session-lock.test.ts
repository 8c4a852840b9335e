import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.ts';
import { runSql } from '../../testing/run-sql.ts';
import { openPostgres } from './postgres.ts';
import { tryAcquireSessionLock } from './postgres-session-lock.ts';

/** The message with which a client says that it ends a connection. */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);
/** For what would otherwise never end. */
const TIMEOUT = { timeout: 60_000 };

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server[Symbol.asyncDispose]());

function acquire(url: string, onLost = () => {}) {
  return tryAcquireSessionLock({ url, name: 'one', onError: () => {}, onLost });
}

/** The id of the server's process that holds the lock. */
async function findHolder(): Promise<number | undefined> {
  const { rows } = await runSql(
    server.url,
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted",
  );
  return rows[0]?.pid;
}

function countConnections(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

/** A proxy in front of the server. It keeps the connection to the server if that to the client is reset. */
async function openProxy(t: TestContext) {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const sockets = new Set<Socket>();
  const forward = (client: Socket) => {
    const upstream = connect(Number(new URL(server.url).port), '127.0.0.1');
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.pipe(upstream).pipe(client);
    return upstream;
  };
  t.after(() => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = listener.address() as { port: number };
  return { listener, forward, url: Object.assign(new URL(server.url), { port }).href };
}

test(
  'while the server does not respond, a lock and a pool close their connections',
  TIMEOUT,
  async (t) => {
    const before = countConnections();
    const lock = await acquire(server.url);
    assert.ok(lock);
    const database = openPostgres({ url: server.url, onError: () => {} });
    await sql`SELECT 1`.execute(database);
    server.pause();
    t.after(() => server.resume());
    await Promise.all([lock[Symbol.asyncDispose](), database.destroy()]);
    assert.equal(countConnections(), before);
  },
);

test(
  'a lock that is disposed while it connects again is not held afterwards',
  TIMEOUT,
  async (t) => {
    const proxy = await openProxy(t);
    proxy.listener.once('connection', proxy.forward);
    const lock = await acquire(proxy.url);
    assert.ok(lock);
    const connecting = once(proxy.listener, 'connection');
    await runSql(
      server.url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'cloche lock %'",
    );
    const [client] = (await connecting) as [Socket];
    const disposed = lock[Symbol.asyncDispose]();
    const messages: Buffer[] = [];
    client.on('data', (bytes) => messages.push(bytes));
    proxy.forward(client);
    await disposed;
    assert.deepEqual(messages.at(-1), TERMINATE);
    await using next = await acquire(server.url);
    assert.ok(next);
  },
);

test(
  'a lock is acquired again while the server still holds it for the lost connection',
  TIMEOUT,
  async (t) => {
    const onLost = t.mock.fn();
    const proxy = await openProxy(t);
    proxy.listener.on('connection', proxy.forward);
    const connecting = once(proxy.listener, 'connection');
    await using lock = await acquire(`${proxy.url}?application_name=shared`, onLost);
    assert.ok(lock);
    const [client] = (await connecting) as [Socket];
    const lost = await findHolder();
    client.resetAndDestroy();
    const isHeldAgain = async () => {
      const holder = await findHolder();
      return holder !== undefined && holder !== lost;
    };
    await waitUntil('the lock', isHeldAgain, { timeoutMs: 10_000 });
    assert.equal(onLost.mock.callCount(), 0);
  },
);

test(
  'a lock is acquired again after the server gave it to an attempt that was given up',
  TIMEOUT,
  async (t) => {
    const onLost = t.mock.fn();
    const proxy = await openProxy(t);
    proxy.listener.once('connection', proxy.forward);
    await using lock = await acquire(proxy.url, onLost);
    assert.ok(lock);
    const connecting = once(proxy.listener, 'connection');
    await runSql(server.url, `SELECT pg_terminate_backend(${await findHolder()})`);
    const [client] = (await connecting) as [Socket];
    proxy.listener.on('connection', proxy.forward);
    const upstream = proxy.forward(client);
    client.on('data', (bytes) => {
      if (!bytes.includes('pg_try_advisory_lock')) return;
      upstream.unpipe(client);
      upstream.once('data', () => client.resetAndDestroy()).resume();
    });
    await waitUntil('the end of the attempt', () => upstream.closed, { timeoutMs: 10_000 });
    await waitUntil('the lock', findHolder, { timeoutMs: 10_000 });
    assert.equal(onLost.mock.callCount(), 0);
  },
);

test(
  'a lock that another process has acquired meanwhile is lost, and not taken from it',
  TIMEOUT,
  async (t) => {
    const lost = Promise.withResolvers<void>();
    const proxy = await openProxy(t);
    proxy.listener.once('connection', proxy.forward);
    await using lock = await acquire(proxy.url, lost.resolve);
    assert.ok(lock);
    const connecting = once(proxy.listener, 'connection');
    await runSql(server.url, `SELECT pg_terminate_backend(${await findHolder()}, 5000)`);
    const [client] = (await connecting) as [Socket];
    await using other = await acquire(server.url);
    assert.ok(other);
    proxy.forward(client);
    await lost.promise;
    await other.assertHeld();
  },
);
