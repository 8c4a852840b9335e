import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SERVICE_ARGUMENTS, SHARED_ENVIRONMENT } from '../../../scripts/service-process.ts';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer } from '../../testing/harness.ts';
import { createEmptyInstallation, runOn, verify } from '../../testing/installations.ts';
import { addManyDesigns } from '../../testing/many-designs.ts';
import {
  getDatabaseSettings,
  getDirectDatabaseSettings,
  openDatabaseAgain,
} from '../../testing/test-database.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';

const BLOB_COUNT = 400;
const ROUNDS = 4;

/** A service with many small files. */
async function openService(t: TestContext) {
  const service = await openTestServer(t);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const blobs = await DiskBlobStore.open(join(service.dataDirectory, 'blobs'));
  await addManyDesigns({ database, blobs, designCount: 400, blobCount: BLOB_COUNT });
  return service;
}

async function openFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-interrupted-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

/** Starts a command as a process of its own. */
function start(environment: NodeJS.ProcessEnv, ...args: string[]): ChildProcess {
  const env = { ...SHARED_ENVIRONMENT, ...environment };
  return spawn(process.execPath, [...SERVICE_ARGUMENTS, ...args], { stdio: 'ignore', env });
}

async function countFiles(folder: string): Promise<number> {
  const names = await readdir(join(folder, 'sha256'), { recursive: true }).catch(() => []);
  return names.filter((name) => /[0-9a-f]{64}$/.test(name)).length;
}

/** Kills the process as soon as so many more files are in the folder. Returns whether it was still running. */
async function killAfterFiles(child: ChildProcess, folder: string, more: number): Promise<boolean> {
  const before = await countFiles(folder);
  const hasExited = () => child.exitCode !== null;
  const check = async () => hasExited() || (await countFiles(folder)) >= before + more;
  await waitUntil('files to be copied', check, { timeoutMs: 120_000 });
  if (hasExited()) return false;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  return true;
}

test('a backup that is killed is never valid in part, and is completed by the next one', async (t) => {
  const service = await openService(t);
  const folder = join(await openFolder(t), 'backup');
  const blobs = join(folder, 'blobs');
  const counts: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = start(getDatabaseSettings(service), 'backup', folder);
    assert.ok(
      await killAfterFiles(child, blobs, 30),
      'the backup was killed while it copied files',
    );
    assert.equal((await readdir(folder)).includes('manifest.json'), false);
    counts.push(await countFiles(blobs));
  }
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
    'no round begins again',
  );
  const { stderr } = await runOn(service, 'backup', folder);
  const copied = Number(/Copied now: (\d+) files/.exec(stderr)?.[1]);
  assert.equal(copied, BLOB_COUNT - (counts.at(-1) ?? 0));
  const target = await createEmptyInstallation(t);
  await runOn(target, 'restore', folder);
  assert.equal((await verify(target)).status, 0);

  // A second backup that is killed leaves the first one as it was.
  const child = start(getDatabaseSettings(service), 'backup', folder);
  await waitUntil(
    'the rows to be written',
    async () =>
      (await readdir(folder)).some((name) => name.startsWith('rows.part')) ||
      child.exitCode !== null,
  );
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  await runOn(service, 'verify', '--backup', folder);
});

test('a restore that is killed leaves no rows, and is completed by the next one', async (t) => {
  const service = await openService(t);
  const folder = join(await openFolder(t), 'backup');
  await runOn(service, 'backup', folder);
  const target = await createEmptyInstallation(t);
  const blobs = join(target.dataDirectory, 'blobs');
  const child = start(getDirectDatabaseSettings(target), 'restore', folder);
  assert.ok(
    await killAfterFiles(child, blobs, 100),
    'the restore was killed while it copied files',
  );
  const database = openDatabaseAgain(t, target.dataDirectory);
  assert.deepEqual(await database.selectFrom('user').select('id').execute(), []);
  assert.ok((await countFiles(blobs)) >= 100);
  await runOn(target, 'restore', folder);
  const { status, report } = await verify(target);
  assert.deepEqual([status, report.rows.design], [0, 400]);
});

test('a move that is killed leaves no rows, and is completed by the next one', async (t) => {
  const service = await openService(t);
  const target = join(await openFolder(t), 'data');
  const args = ['move', '--to-database', target, '--to-files', join(target, 'blobs')];
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = start(getDirectDatabaseSettings(service), ...args);
    const wasKilled = await killAfterFiles(child, join(target, 'blobs'), 30);
    assert.ok(wasKilled, 'the move was killed while it copied files');
  }
  const before = await verify(service);
  const { stderr } = await runOn(service, ...args);
  const copied = Number(/copied now: (\d+)\)/.exec(stderr)?.[1]);
  assert.ok(copied <= BLOB_COUNT - ROUNDS * 30, `${copied} copied by the last run`);
  assert.deepEqual(await verify(service), before, 'the old one is not changed');
  const again = await runOn(service, ...args);
  assert.match(again.stderr, /copied now: 0\)/);
});
