import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer } from '../../testing/harness.ts';
import { createEmptyInstallation, runOn, verify } from '../../testing/installations.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { runClocheServer } from '../../testing/run-cloche-server.ts';
import {
  connectToServerDatabase,
  getDatabaseSettings,
  openDatabaseAgain,
} from '../../testing/test-database.ts';
import { acquireBackupLease } from '../blobs/backup-lease.ts';

const WRITERS = 8;
const BACKUPS = 3;
/** A disk that is almost full: the files of a deleted design are deleted at once. */
const ALMOST_FULL_DISK = {
  run: <T>(operation: () => Promise<T>) => operation(),
  refill: () => true,
  isSpaceLow: async () => true,
};

test('a backup during 8 writers, who also delete, has the file of every row', async (t) => {
  const service = await openTestServer(t, { reserve: ALMOST_FULL_DISK });
  const directory = await mkdtemp(join(tmpdir(), 'cloche-load-'));
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 20 }));
  const folder = join(directory, 'backup');
  let isRunning = true;
  const counts = { uploads: 0, deletions: 0 };
  const write = async (writer: number) => {
    const ids: string[] = [];
    for (let index = 0; isRunning; index += 1) {
      ids.push((await uploadTestDesign(service, `design ${writer} ${index}`)).id);
      counts.uploads += 1;
      if (ids.length < 3) continue;
      const { statusCode } = await sendRequest(service, 'DELETE', `/v1/designs/${ids.shift()}`);
      assert.equal(statusCode, 204);
      counts.deletions += 1;
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  const folders: string[] = [];
  try {
    await waitUntil('designs to be deleted', () => counts.deletions >= WRITERS, {
      timeoutMs: 120_000,
    });
    const before = { ...counts };
    for (let index = 0; index < BACKUPS; index += 1) {
      // The second one is to the same folder.
      const path = index === 2 ? join(directory, 'other') : folder;
      const environment = getDatabaseSettings(service);
      const { status, stderr } = await runClocheServer(['backup', path], environment);
      assert.equal(status, 0, stderr);
      const found = await runClocheServer(['verify', '--json'], environment);
      assert.equal(found.status, 0, `no false alarm: ${found.stdout}${found.stderr}`);
      folders.push(path);
    }
    assert.ok(counts.deletions > before.deletions && counts.uploads > before.uploads);
  } finally {
    isRunning = false;
    await Promise.all(writers);
  }
  for (const path of new Set(folders)) {
    const target = await createEmptyInstallation(t);
    await runOn(target, 'restore', path);
    const { status, report } = await verify(target);
    assert.equal(status, 0, JSON.stringify(report));
    assert.ok(report.rows.design > 0 && report.blobs.count > 0);
  }
});

test('while a backup is made, no blob is deleted; later, what was not deleted is', async (t) => {
  const service = await openTestServer(t, { reserve: ALMOST_FULL_DISK });
  const design = await uploadTestDesign(service);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const count = async () => (await verify(service)).report.unreferenced.count;
  {
    await using _lease = await acquireBackupLease({ database, runWithReserve: (run) => run() });
    await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);
    assert.equal(await count(), 1);
  }
  const other = await uploadTestDesign(service, 'table');
  await sendRequest(service, 'DELETE', `/v1/designs/${other.id}`);
  assert.equal(await count(), 1, 'without a backup, it is deleted at once');
  const sql = connectToServerDatabase(t, service);
  assert.deepEqual(await sql.all('SELECT * FROM backup'), []);
  // A backup that was killed long ago.
  await database
    .insertInto('backup')
    .values({ id: 'x', started_at: '2026-01-01', renewed_at: '2026-01-01T00:00:00.000Z' })
    .execute();
  const third = await uploadTestDesign(service, 'stool');
  await sendRequest(service, 'DELETE', `/v1/designs/${third.id}`);
  assert.equal(await count(), 1);
});
