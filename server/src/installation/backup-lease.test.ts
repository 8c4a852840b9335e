import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer } from '../../testing/harness.ts';
import { uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase, openDatabaseAgain } from '../../testing/test-database.ts';
import { acquireBackupLease } from '../blobs/backup-lease.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { backUp } from './back-up.ts';
import { openBackup } from './open-backup.ts';

const MINUTE_MS = 60_000;

/** The options of a backup of a service with a design. */
async function createOptions(t: TestContext) {
  const service = await openTestServer(t);
  await uploadTestDesign(service, 'chair');
  const directory = await openTemporaryDirectory(t);
  const open = () => openDatabaseAgain(t, service.dataDirectory);
  const grantKeyFile = join(directory, 'key');
  await writeFile(grantKeyFile, randomBytes(32).toString('hex'));
  return {
    service,
    database: open(),
    leaseData: { database: open(), runWithReserve: <T>(run: () => Promise<T>) => run() },
    blobs: DiskBlobStore.openExisting(join(service.dataDirectory, 'blobs')),
    kind: { database: 'sqlite', files: 'folder' } as const,
    grantKeyFile,
    folder: join(directory, 'backup'),
    onProgress: () => {},
  };
}

test('the lease is renewed while rows are read, and with the reserve of the disk', async (t) => {
  const options = await createOptions(t);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const steps: string[] = [];
  const runWithReserve = <T>(run: () => Promise<T>) => {
    steps.push('lease');
    return run();
  };
  const onProgress = (step: string) => {
    const isFirst = !steps.includes(step);
    steps.push(step);
    if (step === 'rows copied' && isFirst) t.mock.timers.tick(MINUTE_MS / 2);
  };
  const leaseData = { ...options.leaseData, runWithReserve };
  await backUp({ ...options, leaseData, onProgress });
  const renewals = steps.slice(steps.indexOf('rows copied'), steps.lastIndexOf('rows copied'));
  assert.ok(renewals.includes('lease'), steps.join(', '));
  assert.equal(steps.at(-1), 'lease', 'its removal');
});

test('a lease that was lost stays lost, and that it cannot be removed is no error', async (t) => {
  const { service, leaseData } = await createOptions(t);
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
  let renewed = Promise.resolve<unknown>(undefined);
  const runWithReserve = <T>(run: () => Promise<T>) => {
    const result = run();
    renewed = result;
    return result;
  };
  const lease = await acquireBackupLease({ ...leaseData, runWithReserve });
  assert.equal(lease.lost, false);
  // The machine was suspended.
  t.mock.timers.setTime(Date.now() + 9 * MINUTE_MS);
  t.mock.timers.tick(MINUTE_MS / 2);
  await renewed;
  assert.equal(lease.lost, true);
  await connectToServerDatabase(t, service).exec('DROP TABLE backup');
  await lease[Symbol.asyncDispose]();
});

test('the earlier backup stays valid when the grant key has changed and the next one fails', async (t) => {
  const options = await createOptions(t);
  const { folder, grantKeyFile } = options;
  await backUp(options);
  await writeFile(grantKeyFile, randomBytes(32).toString('hex'));
  const isKey = (name: string) => name.endsWith('.key');
  // The manifest, which is written last, cannot be.
  const obstacle = join(folder, 'manifest.json.new');
  await mkdir(obstacle);
  await assert.rejects(backUp(options), { code: 'EISDIR' });
  await rmdir(obstacle);
  await using _backup = await openBackup(folder, () => {});
  await backUp(options);
  assert.equal((await readdir(folder)).filter(isKey).length, 1);
});
