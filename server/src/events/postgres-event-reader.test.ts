import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { directOnly, USES_POOLER } from '../../testing/postgres-run.ts';
import { startPostgresServer } from '../../testing/postgres-server.ts';
import { createPostgresDatabase, createTemplate } from '../../testing/test-database.ts';
import type { Database, Transaction } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { deleteChanges } from './delete-changes.ts';
import { MAX_LAG_MS } from './event.ts';
import { PostgresEventReader, type PostgresEventReaderOptions } from './postgres-event-reader.ts';
import { publishEvent } from './publish-event.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const postgres = usePostgresNodes();

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
  const { url, isPooled } = await postgres.createDatabase();
  const database = openPostgres({ url, isPooled, onError: () => {} });
  const listen = !isPooled;
  const reader = new PostgresEventReader({ url, onError: () => {}, listen, ...options });
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
  for (const listen of USES_POOLER ? [false] : [true, false]) {
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
    await database.transaction().execute(async (trx) => {
      await publish('before', trx);
      await sql`UPDATE change SET payload = ${payload}`.execute(trx);
    });
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

const cutOptions = directOnly('PgBouncer replaces a connection that was cut');
test(
  'when the connection was cut, what was published meanwhile is received, and the rest is uncertain',
  cutOptions,
  async (t) => {
    const { database, received, countMissed } = await open(t);
    assert.equal(countMissed(), 1);
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'cloche events' AND datname = current_database()`.execute(database);
    await publish('during the cut', database);
    await waitForEvents(received, 1);
    assert.deepEqual(received, ['during the cut']);
    await waitUntil('the new connection', async () => countMissed() === 2);
  },
);

const PAUSES: readonly [
  reason: string,
  advances: readonly [monotonicMs: number, timeOfDayMs: number],
  isMissed: boolean,
][] = [
  ['the process was stopped', [31 * MINUTE_MS, 31 * MINUTE_MS], true],
  ['the machine was suspended, with its monotonic clock', [0, 31 * MINUTE_MS], true],
  ['the time of day was set back meanwhile', [31 * MINUTE_MS, -DAY_MS], true],
  ['it was shorter than the changes are kept', [20 * MINUTE_MS, 20 * MINUTE_MS], false],
];

for (const [reason, [monotonicMs, timeOfDayMs], isMissed] of PAUSES)
  test(`after a pause, deleted changes ${isMissed ? 'count as missed' : 'are not expected'}: ${reason}`, async (t) => {
    const times = { monotonic: 1_000, timeOfDay: DAY_MS };
    const { database, reader, received, countMissed } = await open(t, {
      clocks: { monotonic: () => times.monotonic, timeOfDay: () => times.timeOfDay },
    });
    // Nobody has read it when it is deleted.
    await database.transaction().execute(async (trx) => {
      await publish('deleted', trx);
      await trx.deleteFrom('change').execute();
    });
    times.monotonic += monotonicMs;
    times.timeOfDay += timeOfDayMs;
    assert.equal(reader.isCurrent(), false);
    await waitUntil('the next read', () => reader.isCurrent());
    assert.equal(countMissed() > 1, isMissed);
    assert.deepEqual(received, []);
  });

test('a reader that has read nothing for 2 seconds is not current', async (t) => {
  const own = await startPostgresServer();
  t.after(() => own[Symbol.asyncDispose]());
  await createTemplate(own.url);
  const url = await createPostgresDatabase(own.url);
  const times = { monotonic: 1_000, timeOfDay: DAY_MS };
  const clocks = { monotonic: () => times.monotonic, timeOfDay: () => times.timeOfDay };
  const reader = new PostgresEventReader({ url, onError: () => {}, clocks });
  t.after(() => reader[Symbol.asyncDispose]());
  await waitUntil('the first read', () => reader.isCurrent());
  await own.stop();
  times.monotonic += 1_000;
  times.timeOfDay += 1_000;
  assert.equal(reader.isCurrent(), true);
  times.monotonic += 1_000;
  times.timeOfDay += 1_000;
  assert.equal(reader.isCurrent(), false);
});

test('the time of day is one of the clocks by which a pause is noticed', async (t) => {
  const { reader, countMissed } = await open(t);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31 * MINUTE_MS });
  assert.equal(reader.isCurrent(), false);
  await waitUntil('the next read', () => reader.isCurrent());
  assert.ok(countMissed() > 1);
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
  assert.ok(reader.getLagMs() >= MAX_LAG_MS);
  assert.ok(errors.length > 0);
  await own.start();
  await waitUntil('the next read', async () => reader.isCurrent());
});

test('events are deleted after an hour, by the clock of the database', async (t) => {
  const { database } = await open(t);
  const listTimes = async () => {
    const rows = await database.selectFrom('change').select('created_at').execute();
    return rows.map(({ created_at }) => created_at);
  };
  const deleteAfter = async (minutes: number) => {
    const createdAt = new Date(Date.now() - minutes * 60_000).toISOString();
    await database.updateTable('change').set({ created_at: createdAt }).execute();
    await deleteChanges(database);
    return listTimes();
  };
  const startMs = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now: startMs - DAY_MS });
  await publish('one', database);
  t.mock.timers.setTime(startMs + DAY_MS);
  await deleteChanges(database);
  t.mock.timers.reset();
  const times = await listTimes();
  assert.equal(times.length, 1, 'it was deleted at once');
  const [time = ''] = times;
  assert.equal(time, new Date(time).toISOString());
  assert.ok(Math.abs(Date.parse(time) - startMs) < DAY_MS / 2, time);
  assert.equal((await deleteAfter(50)).length, 1);
  assert.deepEqual(await deleteAfter(70), []);
});
