import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import { sql } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { USES_POOLER } from '../../testing/postgres-run.ts';
import { runSql } from '../../testing/run-sql.ts';
import type { BlobRef } from '../blobs/blob-store.ts';
import { createDesign } from '../designs/design.ts';
import { completeDesignFields } from '../designs/design-fields.ts';
import { DesignStore } from '../designs/design-store.ts';
import { RevisionStore } from '../designs/revision-store.ts';
import { IdempotencyStore } from '../http/idempotency-store.ts';
import { createJob, LEASE_DURATION_MS } from '../processing/job.ts';
import { JobStore } from '../processing/job-store.ts';
import { createInitialUser } from '../startup/bootstrap-token.ts';
import { createToken } from '../tokens/token.ts';
import { TokenStore } from '../tokens/token-store.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openPostgres, openPostgresPool } from './postgres.ts';
import { toDatabaseError } from './postgres-errors.ts';
import { runExclusively } from './run-exclusively.ts';
import { runTransaction } from './transaction.ts';

const postgres = usePostgresNodes();
const { openNodes } = postgres;

async function addUser(database: Database): Promise<string> {
  await createInitialUser(database, new Date(), async () => {});
  return (await database.selectFrom('user').select('id').executeTakeFirstOrThrow()).id;
}

async function addJobs(database: Database, count: number): Promise<void> {
  const user = await addUser(database);
  const designs = new DesignStore(database);
  const revisions = new RevisionStore(database, designs);
  const jobs = new JobStore(database, 'node');
  await database.transaction().execute(async (trx) => {
    for (let index = 0; index < count; index += 1) {
      const design = createDesign({ ...completeDesignFields({}, 'chair'), user }, new Date());
      const source = {
        blob: '0'.repeat(64) as BlobRef,
        sizeBytes: 2 ** 33,
        fileName: undefined,
        detectedFormat: { format: 'glb' as const },
      };
      const revision = { id: randomUUID(), designId: design.id, number: 1, source };
      await designs.add(design, trx);
      await revisions.add(revision, new Date(), trx);
      await jobs.add(createJob(revision.id), new Date(), trx);
    }
  });
}

test('text is compared by its bytes, sizes are numbers, and a large one fits', async (t) => {
  const [database] = await openNodes(t, 1);
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_type t ON t.oid = a.atttypid JOIN pg_collation l ON l.oid = a.attcollation
    WHERE n.nspname = 'public' AND c.relkind = 'r' AND t.typname = 'text' AND l.collname <> 'C'`.execute(
    database,
  );
  assert.deepEqual(rows, []);
  await addJobs(database, 1);
  const revision = await database.selectFrom('revision').selectAll().executeTakeFirstOrThrow();
  assert.equal(revision.source_size_bytes, 2 ** 33);
  const { count } = await database
    .selectFrom('job')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  assert.equal(count, 1);
});

test('a transaction is READ COMMITTED, whatever the default of the database', async () => {
  const connection = await postgres.createDatabase();
  const name = new URL(connection.url).pathname.slice(1);
  // Not through a pooler, whose connection would keep the default that it began with.
  await runSql(
    postgres.server.url,
    `ALTER DATABASE "${name}" SET default_transaction_isolation = 'serializable'`,
  );
  await using database = openPostgres({ ...connection, onError: () => {} });
  const { rows } = await runTransaction(database, (trx) =>
    sql<{ transaction_isolation: string }>`SHOW transaction_isolation`.execute(trx),
  );
  assert.deepEqual(rows, [{ transaction_isolation: 'read committed' }]);
});

test('JSON is stored as text, which may contain the escape of U+0000', async (t) => {
  const [database] = await openNodes(t, 1);
  const { rows } = await sql`SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type IN ('json', 'jsonb')`.execute(database);
  assert.deepEqual(rows, []);
  await addJobs(database, 1);
  const metadata = JSON.stringify({ note: 'a\u0000b' });
  await database.updateTable('design').set({ metadata }).execute();
  const design = await database.selectFrom('design').select('metadata').executeTakeFirstOrThrow();
  assert.equal(design.metadata, metadata);
});

test('16 connections that claim 400 jobs make 400 claims, each of another job', async (t) => {
  const nodes = await openNodes(t, 4);
  await addJobs(nodes[0], 400);
  const claimed: string[] = [];
  const claimAll = async (jobs: JobStore) => {
    for (let misses = 0; misses < 3; ) {
      const job = await jobs.claim(new Date());
      if (job === undefined) misses += 1;
      else claimed.push(job.id);
    }
  };
  await Promise.all(
    nodes.flatMap((node, index) =>
      Array.from({ length: 4 }, () => claimAll(new JobStore(node, `node ${index}`))),
    ),
  );
  assert.equal(claimed.length, 400);
  assert.equal(new Set(claimed).size, 400);
});

test('a starting node releases its own jobs, and not those of other nodes', async (t) => {
  const [database] = await openNodes(t, 1);
  await addJobs(database, 2);
  const [first, second] = [new JobStore(database, 'first'), new JobStore(database, 'second')];
  const running = (await first.claim(new Date())) ?? assert.fail();
  const crashed = (await second.claim(new Date())) ?? assert.fail();
  await new JobStore(database, 'second').releaseOwn(new Date());
  const again = (await second.claim(new Date())) ?? assert.fail();
  assert.equal(again.id, crashed.id);
  assert.equal(await second.claim(new Date()), undefined);
  assert.equal(await first.renewLease(running, new Date()), true);
});

test('a node that lost its lease cannot end the job', async (t) => {
  const [database] = await openNodes(t, 1);
  await addJobs(database, 1);
  const [first, second] = [new JobStore(database, 'first'), new JobStore(database, 'second')];
  const lost = (await first.claim(new Date())) ?? assert.fail();
  await first.release(lost, new Date(), { countAttempt: false });
  const job = (await second.claim(new Date())) ?? assert.fail();
  assert.deepEqual([job.id, job.attempts], [lost.id, lost.attempts]);
  assert.equal(await first.remove(lost), false);
  assert.equal(await first.renewLease(lost, new Date(Date.now() + LEASE_DURATION_MS)), false);
  assert.equal(await second.remove(job), true);
});

test('two first starts create one user and deliver one token', async (t) => {
  const nodes = await openNodes(t, 2);
  let delivered = 0;
  await Promise.all(
    nodes.map((node) =>
      createInitialUser(node, new Date(), async () => {
        delivered += 1;
      }),
    ),
  );
  assert.equal(delivered, 1);
  assert.equal((await nodes[0].selectFrom('user').select('id').execute()).length, 1);
});

test('an Idempotency-Key that is used on two nodes at once creates one token', async (t) => {
  const nodes = await openNodes(t, 2);
  const user = await addUser(nodes[0]);
  const key = { credential: 'Bearer x', key: 'k', fingerprint: 'f' };
  const scope = { capabilities: ['read'] as const, origins: [], designs: undefined };
  // Each node has looked for the key before one of them claims it.
  const arrived = Promise.withResolvers<void>();
  let requestCount = 0;
  const create = (node: Database) =>
    new IdempotencyStore(node).runOnce(
      { key, now: new Date(), responseSchema: {} },
      async (save) => {
        requestCount += 1;
        if (requestCount === nodes.length) arrived.resolve();
        await arrived.promise;
        const { token } = createToken(
          { ...scope, user, name: '', expiresAt: undefined },
          new Date(),
        );
        const response = { status: 201, location: undefined, body: { id: token.id } };
        await runTransaction(node, async (trx) => {
          await new TokenStore(node).add(token, trx);
          await save(trx, response);
        });
        return response;
      },
    );
  const [first, second] = await Promise.all(nodes.map(create));
  assert.deepEqual(first?.body, second?.body);
  const created = await nodes[0].selectFrom('token').select('id').where('name', '=', '').execute();
  assert.deepEqual(
    created.map(({ id }) => ({ id })),
    [first?.body],
  );
});

test('20 flushes of token use on two nodes have no deadlock', async (t) => {
  const nodes = await openNodes(t, 2);
  const user = await addUser(nodes[0]);
  const scope = { capabilities: ['read'] as const, origins: [], designs: undefined };
  const tokens = Array.from(
    { length: 40 },
    () => createToken({ ...scope, user, name: '', expiresAt: undefined }, new Date()).token,
  );
  const stores = nodes.map((node) => new TokenStore(node));
  await nodes[0].transaction().execute(async (trx) => {
    for (const token of tokens) await stores[0]?.add(token, trx);
  });
  const flushes = Array.from({ length: 10 }).flatMap((_, round) =>
    stores.map(async (store, index) => {
      // Each node has seen the tokens in another order.
      for (const { id } of index === 0 ? tokens : tokens.toReversed())
        store.usage.recordUse(id, new Date(), `https://shop${round % 3}.example`);
      await store.usage.flush();
    }),
  );
  await Promise.all(flushes);
  const { rows } = await sql<{
    deadlocks: number;
  }>`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`.execute(nodes[0]);
  assert.equal(rows[0]?.deadlocks, 0);
  assert.equal((await nodes[0].selectFrom('token_origin').selectAll().execute()).length, 120);
});

test('a transaction that ends in a deadlock is run again', async (t) => {
  const [database] = await openNodes(t, 1);
  await addJobs(database, 2);
  const ids = (await database.selectFrom('design').select('id').execute()).map(({ id }) => id);
  const lock = (trx: Parameters<Parameters<typeof runTransaction>[1]>[0], id = '') =>
    trx.selectFrom('design').select('id').where('id', '=', id).forUpdate().execute();
  const bothLocked = Promise.withResolvers<void>();
  let [attempts, locked] = [0, 0];
  const lockInOrder = ([first, second]: string[]) =>
    runTransaction(database, async (trx) => {
      attempts += 1;
      await lock(trx, first);
      locked += 1;
      if (locked === 2) bothLocked.resolve();
      await bothLocked.promise;
      await lock(trx, second);
    });
  await Promise.all([lockInOrder(ids), lockInOrder(ids.toReversed())]);
  // The second attempt may end in a deadlock too, if it locks its first row before the other transaction has it.
  assert.ok(attempts >= 3, `${attempts}`);
});

test('a task runs on one node at a time', async (t) => {
  const nodes = await openNodes(t, 2);
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const first = runExclusively(nodes[0], 'task', async () => {
    started.resolve();
    await released.promise;
  });
  await started.promise;
  const second = () => runExclusively(nodes[1] ?? assert.fail(), 'task', async () => {});
  assert.equal(await second(), false);
  released.resolve();
  assert.equal(await first, true);
  assert.equal(await second(), true);
});

test('a task of a process that was killed runs on another one when its lease has ended', async (t) => {
  const [database] = await openNodes(t, 1);
  const toTime = (ms: number) => new Date(Date.now() + ms).toISOString();
  const lease = { name: 'task', holder: 'killed', ends_at: toTime(60_000) };
  await database.insertInto('lease').values(lease).execute();
  assert.equal(await runExclusively(database, 'task', async () => {}), false);
  await database
    .updateTable('lease')
    .set({ ends_at: toTime(-1) })
    .execute();
  assert.equal(await runExclusively(database, 'task', async () => {}), true);
});

test('two nodes that migrate an empty database at once apply each migration once', async (t) => {
  const [database] = await openNodes(t, 1);
  await sql`DROP SCHEMA public CASCADE`.execute(database);
  await sql`CREATE SCHEMA public`.execute(database);
  await Promise.all([migrate(database), migrate(database)]);
  await addUser(database);
});

test('connections that the server ends do not end the process; later queries get new ones', async (t) => {
  const [database] = await openNodes(t, 1);
  const ended = await Promise.allSettled(
    [1, 2, 3].map(() => sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(database)),
  );
  for (const result of ended) {
    assert.equal(result.status, 'rejected');
    assert.equal((result.reason as Problem).code, 'server.unavailable');
  }
  await sql`SELECT 1`.execute(database);
});

test('503 while the server is stopped; without a restart of the process, it works again afterwards', async (t) => {
  const [database] = await openNodes(t, 1);
  await sql`SELECT 1`.execute(database);
  await postgres.server.stop();
  await assert.rejects(
    sql`SELECT 1`.execute(database),
    (error) => error instanceof Problem && error.status === 503 && error.retryAfterSeconds === 2,
  );
  await postgres.server.start();
  const query = () => sql`SELECT 1`.execute(database);
  // PgBouncer connects to the server again after 15 s.
  await (USES_POOLER ? waitUntil('PgBouncer', () => query().catch(() => false)) : query());
});

const sqlStates: [sqlState: string, code: ProblemCode | undefined][] = [
  ['53100', 'server.storage-full'],
  ['53300', 'server.unavailable'],
  ['57P01', 'server.unavailable'],
  ['57P02', 'server.unavailable'],
  ['57P03', 'server.unavailable'],
  ['57014', 'server.unavailable'],
  ['40001', 'server.unavailable'],
  ['40P01', 'server.unavailable'],
  ['08006', 'server.unavailable'],
  ['ECONNREFUSED', 'server.unavailable'],
  ['22021', 'request.invalid'],
  ['42P01', undefined],
];

for (const [sqlState, code] of sqlStates) {
  test(`${sqlState} becomes ${code ?? 'no problem: it is a defect'}`, () => {
    const error = Object.assign(new Error('x'), { code: sqlState });
    const converted = toDatabaseError(error);
    if (code === undefined) return assert.equal(converted, error);
    assert.ok(converted instanceof Problem);
    assert.equal(converted.code, code);
    assert.equal(converted.cause, error);
    if (converted.status === 503) assert.ok((converted.retryAfterSeconds ?? 0) > 0);
  });
}

test('without a limit for statements, a transaction may wait for as long as its program computes', async () => {
  const { url } = postgres.server;
  const readTimeout = async (options: { statementTimeoutMs?: number }) => {
    await using database = openPostgres({ url, onError: () => {}, ...options });
    const { rows } = await sql<{
      value: string;
    }>`SELECT current_setting('idle_in_transaction_session_timeout') AS value`.execute(database);
    return rows[0]?.value;
  };
  assert.equal(await readTimeout({}), '1min');
  assert.equal(await readTimeout({ statementTimeoutMs: 0 }), '0');
});

test('the use of the pool is that of its connections', async () => {
  const { url } = postgres.server;
  const options = { url, onError: () => {}, maxConnections: 1 };
  const { database, readPoolUse } = openPostgresPool(options);
  await using _closed = database;
  assert.deepEqual(readPoolUse(), { total: 0, idle: 0, waiting: 0 });
  const waiting = await database.connection().execute(async (connection) => {
    await sql`SELECT 1`.execute(connection);
    const other = sql`SELECT 2`.execute(database);
    await waitUntil('the query to wait', async () => readPoolUse().waiting === 1);
    assert.deepEqual(readPoolUse(), { total: 1, idle: 0, waiting: 1 });
    return [other];
  });
  await Promise.all(waiting);
  assert.deepEqual(readPoolUse(), { total: 1, idle: 1, waiting: 0 });
});
