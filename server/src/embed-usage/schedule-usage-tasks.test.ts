import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../http/logger.ts';
import { EmbedUsageStore } from './embed-usage-store.ts';
import { scheduleUsageTasks } from './schedule-usage-tasks.ts';

test('old days are deleted again after a failure, and then not until the next day', async (t) => {
  const database = await openTestDatabase(t);
  const embedUsage = new EmbedUsageStore(database);
  let flushes = 0;
  t.mock.method(embedUsage, 'flush', async () => {
    flushes += 1;
  });
  const results: (() => Promise<void>)[] = [() => Promise.reject(new Error('The disk is full.'))];
  const deleteOld = t.mock.method(embedUsage, 'deleteOld', async () => results.shift()?.());
  let now = new Date('2026-05-04T12:00:00Z');
  const app = fastify();
  const warnings: unknown[] = [];
  const log = { warn: (warning: unknown) => warnings.push(warning) } as unknown as Logger;
  scheduleUsageTasks(app, { embedUsage, database, log, now: () => now });
  t.after(() => app.close());

  await waitUntil('the second attempt', () => deleteOld.mock.callCount() === 2);
  assert.equal(warnings.length, 1);
  const before = flushes;
  await waitUntil('two more flushes', () => flushes >= before + 2);
  assert.equal(deleteOld.mock.callCount(), 2);
  now = new Date('2026-05-05T00:00:00Z');
  await waitUntil('the next day', () => deleteOld.mock.callCount() === 3);
});

test('a flush starts within a second of each view, also while the previous one runs', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const database = await openTestDatabase(t);
  const embedUsage = new EmbedUsageStore(database);
  const ended = Promise.withResolvers<void>();
  const flush = t.mock.method(embedUsage, 'flush', () => ended.promise);
  const app = fastify();
  const log = { warn: assert.fail } as unknown as Logger;
  scheduleUsageTasks(app, { embedUsage, database, log, now: () => new Date() });
  const close = () => {
    ended.resolve();
    return app.close();
  };
  t.after(close);
  for (let second = 1; second <= 3; second += 1) {
    const before = flush.mock.callCount();
    // The transaction takes a part of the second.
    t.mock.timers.tick(999);
    assert.ok(flush.mock.callCount() > before, `second ${second}`);
    t.mock.timers.tick(1);
  }
  // Before the database is closed.
  await close();
});

test('a flush without counts does not use the database', async () => {
  const embedUsage = new EmbedUsageStore({} as Database);
  await embedUsage.flush();
  embedUsage.recordView({ tokenId: 'tok', designId: 'design', origin: undefined }, new Date());
  await assert.rejects(embedUsage.flush());
});
