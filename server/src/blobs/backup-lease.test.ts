import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { acquireBackupLease, isBackupRunning } from './backup-lease.ts';

const HOUR_MS = 3_600_000;

const { openNodes } = usePostgresNodes();

for (const [name, offsetMs] of [
  ['an hour behind', -HOUR_MS],
  ['60 s ahead', 60_000],
  ['an hour ahead', HOUR_MS],
] as const) {
  test(`the lease of a backup is valid when the clock of the machine that takes it is ${name}`, async (t) => {
    const [database, other = assert.fail()] = await openNodes(t, 2);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + offsetMs });
    const runWithReserve = <T>(run: () => Promise<T>) => run();
    await using _lease = await acquireBackupLease({ database, runWithReserve });
    t.mock.timers.reset();
    assert.equal(await isBackupRunning(other), true);
    const { renewed_at: renewedAt } = await other
      .selectFrom('backup')
      .select('renewed_at')
      .executeTakeFirstOrThrow();
    // The test takes much less than 30 s of the time of the database.
    assert.ok(Math.abs(Date.parse(renewedAt) - Date.now()) < 30_000, renewedAt);
  });
}
