import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { copyFile, cp, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { createEmptyInstallation, runOn, verify } from '../../testing/installations.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { runInProcess } from '../../testing/run-cloche-server.ts';
import { getDatabaseSettings, openDatabaseAgain } from '../../testing/test-database.ts';

const YESTERDAY = new Date(Date.now() - 26 * 60 * 60 * 1000);
const toBlobs = (directory: string) => join(directory, 'sha256');

async function listFiles(directory: string): Promise<string[]> {
  const names = await readdir(toBlobs(directory), { recursive: true });
  return names.filter((name) => /[0-9a-f]{64}/.test(name)).sort();
}

/** Does what a removal of unknown outcome does later: deletes the files of generation 0. */
async function deletePlainFiles(directory: string): Promise<void> {
  for (const name of await listFiles(directory))
    if (!name.includes('.')) await rm(join(toBlobs(directory), name));
}

/** A service whose files have all been stored again while the outcome of their removal was not known. */
async function openService(t: TestContext) {
  const service = await openTestServer(t);
  const chair = await uploadTestDesign(service, 'chair');
  await uploadTestDesign(service, 'table');
  const directory = join(service.dataDirectory, 'blobs');
  const names = await listFiles(directory);
  for (const name of names)
    await rename(join(toBlobs(directory), name), join(toBlobs(directory), `${name}.1`));
  await addRemovals(t, service, names);
  return { service, chair, directory, names };
}

async function addRemovals(t: TestContext, service: TestServer, names: readonly string[]) {
  const values = names.map((name) => ({
    id: randomUUID(),
    blob: name.slice(-64),
    generation: 0,
    created_at: new Date().toISOString(),
  }));
  const database = openDatabaseAgain(t, service.dataDirectory);
  await database.insertInto('blob_removal').values(values).execute();
}

test('files of another generation are served, verified and backed up', async (t) => {
  const { service, chair, names } = await openService(t);
  const model = await sendRequest(service, 'GET', `/v1/designs/${chair.id}/model`);
  assert.equal(model.statusCode, 200, model.body);
  const { status, report } = await verify(service);
  assert.deepEqual([status, report.blobs.count, report.unreferenced.count], [0, names.length, 0]);
  const folder = join(await openTemporaryDirectory(t), 'backup');
  await runOn(service, 'backup', folder);
  await runOn(service, 'verify', '--backup', folder);
  // Nothing else writes to this folder.
  assert.deepEqual(await listFiles(join(folder, 'blobs')), names);
});

test('a restore to the place of the removals stores files that these cannot delete', async (t) => {
  const { service, names } = await openService(t);
  const folder = join(await openTemporaryDirectory(t), 'backup');
  await runOn(service, 'backup', folder);
  const restored = await createEmptyInstallation(t);
  const directory = join(restored.dataDirectory, 'blobs');
  await cp(join(folder, 'blobs'), directory, { recursive: true });
  await runOn(restored, 'restore', folder);
  await deletePlainFiles(directory);
  assert.deepEqual(
    await listFiles(directory),
    names.map((name) => `${name}.1`),
  );
  const { status, report } = await verify(restored);
  assert.deepEqual([status, report.blobs.count], [0, names.length]);
  assert.equal(report.rows.blob_removal, names.length, 'they are still not known to have ended');
});

test('a move of the files finds those of another generation, and keeps the generation', async (t) => {
  const { service, names } = await openService(t);
  await service.app.close();
  const files = join(await openTemporaryDirectory(t), 'files');
  await runOn(service, 'move', '--to-files', files);
  assert.deepEqual(
    await listFiles(files),
    names.map((name) => `${name}.1`),
  );
  const settings = { ...getDatabaseSettings(service), CLOCHE_FILES: files };
  const result = await runInProcess(['verify', '--json'], settings);
  assert.equal(result.status, 0, result.stdout + result.stderr);
});

test('gc deletes all files of a blob that no row names, when the newest is a day old, and counts it once', async (t) => {
  const { service, chair, directory } = await openService(t);
  const toSecondPath = (name: string) => join(toBlobs(directory), name.replace(/\.1$/, '.2'));
  const oldNames = await listFiles(directory);
  for (const name of oldNames) {
    const path = join(toBlobs(directory), name);
    await copyFile(path, toSecondPath(name));
    await utimes(path, YESTERDAY, YESTERDAY);
  }
  await sendRequest(service, 'DELETE', `/v1/designs/${chair.id}`);
  const { unreferenced, blobs } = (await verify(service)).report;
  assert.ok(unreferenced.count > 0 && blobs.count > 0);
  const gc = async () => JSON.parse((await runOn(service, 'gc', '--json')).stdout);
  assert.equal((await gc()).count, 0);
  for (const name of oldNames) await utimes(toSecondPath(name), YESTERDAY, YESTERDAY);
  assert.deepEqual(await gc(), { ...unreferenced, dryRun: false });
  assert.equal((await listFiles(directory)).length, 2 * blobs.count);
  const { status, report } = await verify(service);
  assert.deepEqual([status, report.unreferenced.count], [0, 0]);
});
