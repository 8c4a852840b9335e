import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import { acquireBackupLease } from '../blobs/backup-lease.ts';
import { recordBackup } from '../blobs/completed-backup.ts';

test('the system is described, with what the sandbox misses', async (t) => {
  const sandbox = {
    level: 'reduced' as const,
    missing: ['network: open'],
    reason: 'no bubblewrap',
  };
  const service = await openTestServer(t, { processing: { sandbox }, storageKind: 's3' });
  const { version, database, startedAt, ...system } = (
    await sendRequest(service, 'GET', '/v1/system')
  ).json();
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.match(database.version, /^\d+\.\d+/);
  assert.ok(['sqlite', 'postgres'].includes(database.kind));
  assert.ok(Date.parse(startedAt) <= Date.now());
  assert.deepEqual(system, {
    nodeVersion: process.version,
    node: { id: 'node', role: 'all' },
    storage: 's3',
    sandbox,
    posters: false,
    nodes: [],
    backup: { last: null, running: false },
    logLevel: { level: 'info', configured: 'info' },
  });
});

test('the last backup is shown, and whether one is being made', async (t) => {
  const service = await openTestServer(t);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const read = async () => (await sendRequest(service, 'GET', '/v1/system')).json().backup;
  const backup = { version: '0.1.0', designs: 1, files: 2, bytes: 3_000_000_000 };
  for (const finishedAt of ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']) {
    await recordBackup(database, { ...backup, finished_at: finishedAt });
    assert.deepEqual(await read(), { last: { ...backup, finishedAt }, running: false });
  }
  await using _lease = await acquireBackupLease({ database, runWithReserve: (run) => run() });
  assert.equal((await read()).running, true);
});

test('the storage is counted once a minute', async (t) => {
  const service = await openTestServer(t);
  const read = async () => (await sendRequest(service, 'GET', '/v1/storage')).json();
  const empty = await read();
  assert.deepEqual([empty.designs, empty.sources], [0, { files: 0, bytes: 0 }]);
  const bytes = makeBox();
  await uploadTestDesign(service, 'Chair', bytes);
  assert.equal((await read()).designs, 0);
  service.advanceTime(60_000);
  const { designs, revisions, sources, artifacts, uploads, storage, disk } = await read();
  assert.deepEqual([designs, revisions, storage], [1, 1, 'folder']);
  assert.deepEqual(sources, { files: 1, bytes: bytes.length });
  assert.deepEqual(uploads, { files: 0, bytes: 0 });
  assert.ok(artifacts.files >= 1 && artifacts.bytes >= bytes.length, JSON.stringify(artifacts));
  assert.ok(disk.freeBytes <= disk.totalBytes && disk.reserveBytes > 0);
});

test('the log level is set until the restart, with a line in the log', async (t) => {
  const service = await openTestServer(t);
  const set = (level: unknown) => sendRequest(service, 'PUT', '/v1/log-level', { level });
  const countRequests = () => service.logLines.filter((line) => line.includes('"request"')).length;
  assert.deepEqual((await set('silent')).json(), { level: 'silent', configured: 'info' });
  const before = countRequests();
  await sendRequest(service, 'GET', '/v1/designs');
  assert.equal(countRequests(), before);
  assert.deepEqual((await set('error')).json(), { level: 'error', configured: 'info' });
  assert.deepEqual((await set(null)).json(), { level: 'info', configured: 'info' });
  await sendRequest(service, 'GET', '/v1/designs');
  assert.ok(countRequests() > before);
  const changes = service.logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'the log level was changed');
  assert.deepEqual(
    changes.map(({ from, to }) => [from, to]),
    [
      ['info', 'silent'],
      ['silent', 'error'],
      ['error', null],
    ],
  );
  assert.equal((await set('loud')).json().code, 'request.invalid');
});
