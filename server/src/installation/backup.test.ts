import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer } from '../../testing/harness.ts';
import { createEmptyInstallation, runOn, runRefused, verify } from '../../testing/installations.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { runInProcess } from '../../testing/run-cloche-server.ts';
import {
  connectToServerDatabase,
  getDatabaseSettings,
  openDatabaseAgain,
} from '../../testing/test-database.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';

/** A service with two designs, and a backup of it. */
async function createBackup(t: TestContext) {
  const service = await openTestServer(t);
  const chair = await uploadTestDesign(service, 'chair');
  await uploadTestDesign(service, 'table');
  const folder = join(await openTemporaryDirectory(t), 'backup');
  await runOn(service, 'backup', folder);
  return { service, chair, folder };
}

const listBlobFiles = async (folder: string) =>
  (await readdir(join(folder, 'blobs', 'sha256'), { recursive: true }))
    .filter((name) => /[0-9a-f]{64}$/.test(name))
    .map((name) => name.slice(-64))
    .sort();

test('GET /v1/system shows the last backup that the command has made', async (t) => {
  const service = await openTestServer(t);
  const read = async () => (await sendRequest(service, 'GET', '/v1/system')).json().backup;
  assert.deepEqual(await read(), { last: null, running: false });
  await uploadTestDesign(service, 'chair');
  const folder = join(await openTemporaryDirectory(t), 'backup');
  await runOn(service, 'backup', folder);
  const { last, running } = await read();
  const { finishedAt, bytes, ...counts } = last;
  const files = await listBlobFiles(folder);
  assert.deepEqual(counts, { version: PROGRAM_VERSION, designs: 1, files: files.length });
  assert.ok(bytes > 0 && Date.parse(finishedAt) <= Date.now(), JSON.stringify(last));
  assert.equal(running, false);
});

test('a backup of a running service is restored with its designs, files and tokens', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service, 'chair');
  const embedToken = await issueToken(service);
  const rotated = await sendRequest(service, 'POST', `/v1/tokens/${embedToken.id}/rotate`, {});
  assert.equal(rotated.statusCode, 201, rotated.body);
  const folder = join(await openTemporaryDirectory(t), 'new', 'backup');
  await runOn(service, 'backup', folder);
  const model = await sendRequest(service, 'GET', `/v1/designs/${design.id}/model`);
  // What happens after the backup is not in it.
  await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);

  const target = await createEmptyInstallation(t);
  await runOn(target, 'restore', folder);
  assert.equal((await verify(target)).status, 0);
  const restored = { ...(await openTestServer(t, target)), token: service.token };
  const copy = await sendRequest(restored, 'GET', `/v1/designs/${design.id}/model`);
  assert.deepEqual(copy.rawPayload, model.rawPayload);
  const embed = await restored.app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${embedToken.token}`,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.equal(embed.statusCode, 200, embed.body);
});

test('only the owner can read a backup', async (t) => {
  const umask = process.umask(0o022);
  t.after(() => process.umask(umask));
  const { folder } = await createBackup(t);
  for (const name of ['.', ...(await readdir(folder, { recursive: true }))])
    assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name);
});

test('a second backup copies new files only, and removes what is deleted', async (t) => {
  const { service, chair, folder } = await createBackup(t);
  const first = await listBlobFiles(folder);
  const inode = (
    await stat(join(folder, 'blobs', 'sha256', (first[0] ?? '').slice(0, 2), first[0] ?? ''))
  ).ino;
  const unchanged = await runOn(service, 'backup', folder);
  assert.match(unchanged.stderr, /Copied now: 0 files with 0 bytes/);
  assert.equal(
    (await stat(join(folder, 'blobs', 'sha256', (first[0] ?? '').slice(0, 2), first[0] ?? ''))).ino,
    inode,
  );
  await uploadTestDesign(service, 'stool');
  await sendRequest(service, 'DELETE', `/v1/designs/${chair.id}`);
  const result = await runOn(service, 'backup', folder);
  assert.match(result.stderr, /: 2 designs and/);
  const { report } = await verify(service);
  assert.equal((await listBlobFiles(folder)).length, report.blobs.count);
  assert.equal((await readdir(folder)).filter((name) => name.startsWith('rows')).length, 1);
  await runOn(service, 'verify', '--backup', folder);
});

test('a folder with other files is not used for a backup', async (t) => {
  const { service } = await createBackup(t);
  const folder = await openTemporaryDirectory(t);
  await writeFile(join(folder, 'thesis.txt'), 'mine');
  assert.match(await runRefused(service, 'backup', folder), /contains "thesis.txt"/);
  assert.deepEqual(await readdir(folder), ['thesis.txt']);
});

test('rows that could not be restored are not backed up, and the earlier backup stays', async (t) => {
  const { service, folder } = await createBackup(t);
  const { id } = await uploadTestDesign(service, 'stool');
  const database = openDatabaseAgain(t, service.dataDirectory);
  const setRevision = (revision_id: string | null) =>
    database.updateTable('design').set({ revision_id }).where('id', '=', id).execute();
  await setRevision(randomUUID());
  const message = await runRefused(service, 'backup', folder);
  assert.match(
    message,
    /^cloche: The backup is not complete\. 1 row is missing or damaged: design /m,
  );
  assert.match(message, /"revision_id" .* Run "cloche-server verify --json"/);
  await runOn(service, 'verify', '--backup', folder);
  await setRevision(null);
  await runOn(service, 'backup', folder);
});

test('a backup without a manifest is not complete, and is not restored', async (t) => {
  const { folder } = await createBackup(t);
  await rm(join(folder, 'manifest.json'));
  const target = await createEmptyInstallation(t);
  assert.match(await runRefused(target, 'restore', folder), /no file "manifest.json"/);
});

test('a backup is restored only to an empty installation, which is named otherwise', async (t) => {
  const { service, folder } = await createBackup(t);
  const before = await verify(service);
  assert.match(await runRefused(service, 'restore', folder), /installation already: .* has users/);
  assert.deepEqual(await verify(service), before);

  const target = await createEmptyInstallation(t);
  const other = '0'.repeat(64);
  await mkdir(join(target.dataDirectory, 'blobs', 'sha256', '00'), { recursive: true });
  await writeFile(join(target.dataDirectory, 'blobs', 'sha256', '00', other), 'x');
  const message = await runRefused(target, 'restore', folder);
  assert.match(message, new RegExp(`files of other designs in .*${other}`));
});

test('verify reports damaged, missing and unreferenced files, and invalid rows', async (t) => {
  const service = await openTestServer(t);
  for (const name of ['chair', 'table', 'stool']) await uploadTestDesign(service, name);
  const healthy = await verify(service);
  assert.deepEqual([healthy.status, healthy.report.blobDefects], [0, []]);
  assert.equal(healthy.report.rows.design, 3);
  const blobs = join(service.dataDirectory, 'blobs', 'sha256');
  const toPath = (ref: string) => join(blobs, ref.slice(0, 2), ref);
  const [missing = '', damaged = '', shorter = ''] = await listBlobFiles(service.dataDirectory);
  await rm(toPath(missing));
  const bytes = await readFile(toPath(damaged));
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await writeFile(toPath(damaged), bytes);
  const { size } = await stat(toPath(shorter));
  await writeFile(toPath(shorter), 'x');
  const unreferenced = 'f'.repeat(64);
  await mkdir(join(blobs, 'ff'), { recursive: true });
  await writeFile(toPath(unreferenced), '12345');
  const { status, report } = await verify(service);
  assert.equal(status, 1);
  const reasons = report.blobDefects.map((defect: { ref: string; reason: string }) => [
    defect.ref,
    defect.reason,
  ]);
  assert.deepEqual(Object.fromEntries(reasons), {
    [missing]: 'is missing',
    [damaged]: 'has other bytes: its SHA-256 is different',
    [shorter]: `has 1 bytes instead of ${size}`,
  });
  assert.deepEqual(report.unreferenced, { count: 1, bytes: 5 });
  const folder = join(await openTemporaryDirectory(t), 'backup');
  assert.match(await runRefused(service, 'backup', folder), /not complete. 3 files are missing or/);
  assert.equal((await readdir(folder)).includes('manifest.json'), false);
});

test('verify reports invalid rows', async (t) => {
  const { service, chair } = await createBackup(t);
  const database = connectToServerDatabase(t, service);
  await database.exec(`UPDATE design SET tags = '[' WHERE id = '${chair.id}'`);
  await database.exec(`UPDATE design SET revision_id = 'none' WHERE name = 'table'`);
  const { status, report } = await verify(service);
  assert.equal(status, 1);
  const reasons = report.rowDefects.map(({ reason }: { reason: string }) => reason);
  assert.deepEqual(reasons, [
    '"tags" is not JSON',
    '"revision_id" names a row of "revision" that does not exist',
  ]);
  const { stdout } = await runInProcess(['verify'], getDatabaseSettings(service));
  assert.match(stdout, new RegExp(`^row of design ${chair.id}: "tags" is not JSON`, 'm'));
});

const toBlobPath = (folder: string, ref: string) =>
  join(folder, 'blobs', 'sha256', ref.slice(0, 2), ref);

test('a file of the backup that was damaged is copied again', async (t) => {
  const { service, folder } = await createBackup(t);
  const [damaged = '', unreadable = ''] = await listBlobFiles(folder);
  const { length } = await readFile(toBlobPath(folder, damaged));
  await writeFile(toBlobPath(folder, damaged), Buffer.alloc(length));
  await rm(toBlobPath(folder, unreadable));
  assert.match(await runRefused(service, 'verify', '--backup', folder), /2 files are missing or/);
  const { stderr } = await runOn(service, 'backup', folder);
  assert.match(stderr, /Copied now: 2 files/);
  await runOn(service, 'verify', '--backup', folder);
});

test('a file that cannot be read is a defect, which verify and backup report with the others', async (t) => {
  const { service } = await createBackup(t);
  const [missing = '', unreadable = ''] = await listBlobFiles(service.dataDirectory);
  await rm(toBlobPath(service.dataDirectory, missing));
  await rm(toBlobPath(service.dataDirectory, unreadable));
  await mkdir(toBlobPath(service.dataDirectory, unreadable));
  const { status, report } = await verify(service);
  assert.equal(status, 1);
  const reasons = report.blobDefects.map((defect: { ref: string; reason: string }) => [
    defect.ref,
    defect.reason,
  ]);
  const expected = { [missing]: 'is missing', [unreadable]: 'cannot be read (EISDIR)' };
  assert.deepEqual(Object.fromEntries(reasons), expected);
  const folder = join(await openTemporaryDirectory(t), 'backup');
  const message = await runRefused(service, 'backup', folder);
  assert.match(message, /2 files are missing or damaged: .*cannot be read \(EISDIR\)/);
});

test('a file that cannot be written to the folder is one sentence', async (t) => {
  const { service, folder } = await createBackup(t);
  const [ref = ''] = await listBlobFiles(folder);
  await rm(toBlobPath(folder, ref));
  await mkdir(toBlobPath(folder, ref));
  const message = await runRefused(service, 'backup', folder);
  assert.match(message, /^cloche: A file cannot be written \(E\w+, rename .*run it again\.$/m);
});
