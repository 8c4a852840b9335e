import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.ts';
import { createPostgresDatabase, createTemplate } from '../../testing/test-database.ts';
import type { Database, Transaction } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { deleteChanges } from './delete-changes.ts';
import { PostgresEventReader, type PostgresEventReaderOptions } from './postgres-event-reader.ts';
import { publishEvent } from './publish-event.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
  await createTemplate(server.url);
});
after(() => server[Symbol.asyncDispose]());

type OpenedReader = {
  database: Database;
  reader: PostgresEventReader;
  /** The ids of all tokens whose events were received. */
  received: string[];
  /** How often events may have been missed. */
  countMissed(): number;
};

async function open(
  t: TestContext,
  options: Partial<PostgresEventReaderOptions> = {},
): Promise<OpenedReader> {
  const url = await createPostgresDatabase(server.url);
  const database = openPostgres({ url, onError: () => {} });
  const reader = new PostgresEventReader({ url, onError: () => {}, ...options });
  t.after(async () => {
    await reader[Symbol.asyncDispose]();
    await database.destroy();
  });
  const received: string[] = [];
  let missed = 0;
  reader.subscribe('token', ({ ids }) => void received.push(...ids));
  reader.onMissed(() => {
    missed += 1;
  });
  assert.equal(reader.isCurrent(), false);
  await waitUntil('the first read', async () => reader.isCurrent());
  return { database, reader, received, countMissed: () => missed };
}

function publish(id: string, db: Database | Transaction): Promise<void> {
  return publishEvent({ topic: 'token', ids: [id] }, db);
}

async function waitForEvents(received: readonly string[], count: number): Promise<void> {
  await waitUntil(`${count} events`, async () => received.length >= count);
}

test('events of transactions that commit in another order than they began are received, each once', async (t) => {
  for (const listen of [true, false]) {
    const { database, received } = await open(t, { listen });
    const published = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const slow = database.transaction().execute(async (trx) => {
      await publish('began first', trx);
      published.resolve();
      await mayCommit.promise;
    });
    await published.promise;
    await publish('committed first', database);
    await waitForEvents(received, 1);
    await publish('second', database);
    await waitForEvents(received, 2);
    mayCommit.resolve();
    await slow;
    await waitForEvents(received, 3);
    await publish('last', database);
    await waitForEvents(received, 4);
    assert.deepEqual(received, ['committed first', 'second', 'began first', 'last']);
  }
});

test('events of a transaction that is rolled back, or of before the start, are not received', async (t) => {
  const { database, received } = await open(t);
  const rolledBack = database.transaction().execute(async (trx) => {
    await publish('rolled back', trx);
    throw new Error('cancelled');
  });
  await assert.rejects(rolledBack, /cancelled/);
  await publish('committed', database);
  await waitForEvents(received, 1);
  assert.deepEqual(received, ['committed']);
});

test('after a malformed event, the next one is received, and the caches are emptied', async (t) => {
  const errors: Error[] = [];
  const onError = (error: Error) => errors.push(error);
  const { database, reader, received, countMissed } = await open(t, { onError });
  for (const payload of ['{"topic":', 'null', '{"topic":"token"}']) {
    await publish('before', database);
    await sql`UPDATE change SET payload = ${payload}`.execute(database);
  }
  await publish('after', database);
  await waitUntil('the event after them', () => received.includes('after'));
  assert.equal(reader.isCurrent(), true);
  assert.ok(countMissed() > 1);
  // An event that is replaced soon after it was published may not be read.
  assert.ok(errors.length > 0);
  for (const { message } of errors)
    assert.match(message, /^(an event is malformed|receiving an event failed): /);
});

test('what 4 connections publish at the same time is received once', async (t) => {
  const { database, received } = await open(t);
  const ids = Array.from({ length: 200 }, (_, index) => String(index));
  await Promise.all(
    ids.map((id) =>
      database.transaction().execute(async (trx) => {
        await publish(id, trx);
        await sql`SELECT pg_sleep(${Math.random() / 100})`.execute(trx);
      }),
    ),
  );
  await publish('last', database);
  await waitUntil('the last event', async () => received.includes('last'));
  assert.deepEqual(received.toSorted(), [...ids, 'last'].toSorted());
});

test('when the connection was cut, what was published meanwhile is received, and the rest is uncertain', async (t) => {
  const { database, received, countMissed } = await open(t);
  assert.equal(countMissed(), 1);
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'cloche events' AND datname = current_database()`.execute(database);
  await publish('during the cut', database);
  await waitForEvents(received, 1);
  assert.deepEqual(received, ['during the cut']);
  await waitUntil('the new connection', async () => countMissed() === 2);
});

test('while the database is stopped, the reader is not current; afterwards it is', async (t) => {
  const own = await startPostgresServer();
  t.after(() => own[Symbol.asyncDispose]());
  await createTemplate(own.url);
  const url = await createPostgresDatabase(own.url);
  const errors: Error[] = [];
  const reader = new PostgresEventReader({ url, onError: (error) => errors.push(error) });
  t.after(() => reader[Symbol.asyncDispose]());
  await waitUntil('the first read', async () => reader.isCurrent());
  await own.stop();
  await waitUntil('the lag', async () => !reader.isCurrent());
  assert.ok(reader.getLagMs() >= 2_000);
  assert.ok(errors.length > 0);
  await own.start();
  await waitUntil('the next read', async () => reader.isCurrent());
});

test('events are deleted after an hour', async (t) => {
  const { database } = await open(t);
  await publish('old', database);
  await deleteChanges(database, new Date(Date.now() + 59 * 60_000));
  const count = async () => (await database.selectFrom('change').select('id').execute()).length;
  assert.equal(await count(), 1);
  await deleteChanges(database, new Date(Date.now() + 61 * 60_000));
  assert.equal(await count(), 0);
});
