import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.ts';
import { openPostgres } from './postgres.ts';
import { PostgresWatchdog } from './postgres-watchdog.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server[Symbol.asyncDispose]());

/** Opens a pool with two connections to the server. */
async function openPool(t: TestContext, url = server.url) {
  // No query ends by a time limit of its own.
  const options = { url, maxConnections: 2, statementTimeoutMs: 0 };
  const database = openPostgres({ ...options, onError: () => {} });
  t.after(() => database.destroy());
  const select = () => sql`SELECT 1`.execute(database);
  await Promise.all([select(), select()]);
  return { database, select };
}

/** A proxy in front of the server. `handleConnection` returns whether the server answers a new connection. */
async function openProxy(t: TestContext) {
  const sockets = new Set<Socket>();
  const proxy = { url: '', handleConnection: () => true };
  const listener = createServer((client) => {
    sockets.add(client.on('error', () => {}));
    if (!proxy.handleConnection()) return;
    const upstream = connect(Number(new URL(server.url).port), '127.0.0.1');
    sockets.add(upstream.on('error', () => {}));
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.after(() => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(server.url);
  url.port = String((listener.address() as { port: number }).port);
  proxy.url = url.href;
  return proxy;
}

test('while the server is frozen, running and new queries end with 503; afterwards they succeed', async (t) => {
  const { database, select } = await openPool(t);
  const begun = Promise.withResolvers<void>();
  const frozen = Promise.withResolvers<void>();
  const transaction = database.transaction().execute(async (trx) => {
    begun.resolve();
    await frozen.promise;
    await sql`SELECT 1`.execute(trx);
  });
  await begun.promise;
  server.pause();
  t.after(() => server.resume());
  frozen.resolve();
  // One of them waits for a connection.
  const results = await Promise.allSettled([transaction, select(), select()]);
  const codes = results.map((result) => result.status === 'rejected' && result.reason.code);
  assert.deepEqual(codes, Array(3).fill('server.unavailable'));
  await assert.rejects(select(), { code: 'server.unavailable', retryAfterSeconds: 2 });
  server.resume();
  await waitUntil('the server', () =>
    select().then(
      () => true,
      () => false,
    ),
  );
  await Promise.all([select(), select(), select()]);
});

test('a slow query is not ended while the server responds to others', async (t) => {
  const { database } = await openPool(t);
  // Longer than the time after which the server is checked.
  const { rows } = await sql`SELECT 1 AS one FROM pg_sleep(5)`.execute(database);
  assert.deepEqual(rows, [{ one: 1 }]);
});

test('a slow query is not ended while the server answers only over connections that it has', async (t) => {
  const proxy = await openProxy(t);
  const { database, select } = await openPool(t, proxy.url);
  let answered: Promise<unknown> | undefined;
  proxy.handleConnection = () => {
    answered ??= select();
    return false;
  };
  // Longer than the check of the server.
  const { rows } = await sql`SELECT 1 AS one FROM pg_sleep(5)`.execute(database);
  assert.deepEqual(rows, [{ one: 1 }]);
  assert.ok(answered, 'the server was checked');
  await answered;
});

test('a slow query is not ended when this process did not run for three seconds', async (t) => {
  const proxy = await openProxy(t);
  const { database } = await openPool(t, proxy.url);
  let blocked = 0;
  proxy.handleConnection = () => {
    blocked += 1;
    if (blocked === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    return true;
  };
  const { rows } = await sql`SELECT 1 AS one FROM pg_sleep(8)`.execute(database);
  assert.deepEqual(rows, [{ one: 1 }]);
  assert.ok(blocked > 0, 'the server was checked');
});

test('when the server does not respond, an operation is ended after two seconds, and not before', async (t) => {
  const proxy = await openProxy(t);
  proxy.handleConnection = () => false;
  const watchdog = new PostgresWatchdog(proxy.url);
  const waitedMs: number[] = [];
  const start = () => {
    const startMs = performance.now();
    const { promise } = Promise.withResolvers<never>();
    watchdog.watch(promise).catch(() => waitedMs.push(performance.now() - startMs));
  };
  const timer = setInterval(start, 50);
  t.after(() => clearInterval(timer));
  await waitUntil('operations to be ended', () => waitedMs.length > 0);
  clearInterval(timer);
  const shortest = Math.min(...waitedMs);
  assert.ok(shortest >= 2_000, `${shortest} ms`);
});
