import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { runOn, verify } from '../../testing/installations.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import { acquireBackupLease } from '../blobs/backup-lease.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';

test('gc deletes old files that no row names, and only those', async (t) => {
  const service = await openTestServer(t);
  await uploadTestDesign(service, 'chair');
  const deleted = await uploadTestDesign(service, 'table');
  await sendRequest(service, 'DELETE', `/v1/designs/${deleted.id}`);
  const gc = async (...args: string[]) =>
    JSON.parse((await runOn(service, 'gc', '--json', ...args)).stdout);
  assert.deepEqual(await gc(), { count: 0, bytes: 0, dryRun: false }, 'younger than a day');
  const { unreferenced } = (await verify(service)).report;
  assert.equal(unreferenced.count, 1);
  const directory = join(service.dataDirectory, 'blobs');
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for await (const { ref } of DiskBlobStore.openExisting(directory).list())
    await utimes(join(directory, 'sha256', ref.slice(0, 2), ref), yesterday, yesterday);
  assert.deepEqual(await gc('--dry-run'), { ...unreferenced, dryRun: true });
  {
    await using _lease = await acquireBackupLease({
      database: openDatabaseAgain(t, service.dataDirectory),
      runWithReserve: (operation) => operation(),
    });
    assert.deepEqual(await gc(), { count: 0, bytes: 0, dryRun: false }, 'a backup is being made');
  }
  assert.deepEqual(await gc(), { ...unreferenced, dryRun: false });
  const after = (await verify(service)).report;
  assert.deepEqual([after.unreferenced.count, after.blobDefects], [0, []]);
});
