import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
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

const KILL_AFTER_FILES = join(import.meta.dirname, '../../testing/kill-after-files.ts');
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
function start(environment: NodeJS.ProcessEnv, args: string[], nodeOptions: string[] = []) {
  const env = { ...SHARED_ENVIRONMENT, ...environment };
  const nodeArguments = [...nodeOptions, ...SERVICE_ARGUMENTS, ...args];
  return spawn(process.execPath, nodeArguments, { stdio: 'ignore', env });
}

/** Runs a command that kills itself when it has stored so many files. */
async function runUntilKilled(environment: NodeJS.ProcessEnv, args: string[], files: number) {
  const env = { ...environment, STORED_FILES: String(files) };
  const child = start(env, args, [`--import=${KILL_AFTER_FILES}`]);
  const [exitCode, signal] = await once(child, 'exit');
  assert.deepEqual([exitCode, signal], [null, 'SIGKILL'], 'killed while it copied files');
}

async function countFiles(folder: string): Promise<number> {
  const names = await readdir(join(folder, 'sha256'), { recursive: true }).catch(() => []);
  return names.filter((name) => /[0-9a-f]{64}$/.test(name)).length;
}

test('a backup that is killed is never valid in part, and is completed by the next one', async (t) => {
  const service = await openService(t);
  const folder = join(await openFolder(t), 'backup');
  const blobs = join(folder, 'blobs');
  const counts: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await runUntilKilled(getDatabaseSettings(service), ['backup', folder], 30);
    assert.equal((await readdir(folder)).includes('manifest.json'), false);
    counts.push(await countFiles(blobs));
  }
  assert.ok(
    counts.every((count, round) => count >= 30 * (round + 1)),
    `no round begins again: ${counts}`,
  );
  const { stderr } = await runOn(service, 'backup', folder);
  const copied = Number(/Copied now: (\d+) files/.exec(stderr)?.[1]);
  assert.equal(copied, BLOB_COUNT - (counts.at(-1) ?? 0));
  const target = await createEmptyInstallation(t);
  await runOn(target, 'restore', folder);
  assert.equal((await verify(target)).status, 0);

  // A second backup that is killed leaves the first one as it was.
  const child = start(getDatabaseSettings(service), ['backup', folder]);
  const exited = once(child, 'exit');
  await waitUntil(
    'the rows to be written',
    async () =>
      (await readdir(folder)).some((name) => name.startsWith('rows.part')) ||
      child.exitCode !== null,
  );
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
  await runUntilKilled(getDirectDatabaseSettings(target), ['restore', folder], 100);
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
    await runUntilKilled(getDirectDatabaseSettings(service), args, 30);
  }
  const before = await verify(service);
  const { stderr } = await runOn(service, ...args);
  const copied = Number(/copied now: (\d+)\)/.exec(stderr)?.[1]);
  assert.ok(copied <= BLOB_COUNT - ROUNDS * 30, `${copied} copied by the last run`);
  assert.deepEqual(await verify(service), before, 'the old one is not changed');
  const again = await runOn(service, ...args);
  assert.match(again.stderr, /copied now: 0\)/);
});
