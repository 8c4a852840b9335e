import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { PowerFailureSimulator, type SurvivingNames } from '../../testing/power-failure.ts';
import { sendRequest } from '../../testing/requests.ts';
import { shareDatabase } from '../../testing/test-database.ts';
import {
  createUpload,
  headUpload,
  listUploadDirectory,
  patchUpload,
  TUS_HEADERS,
  TUS_PATCH_HEADERS,
} from '../../testing/tus-requests.ts';
import { TusUploadStore } from './tus-upload-store.ts';

const MODEL = makeBox();
const HALF = MODEL.subarray(0, MODEL.length / 2);

type Fixtures = {
  service: TestServer;
  /** Opens a service on what a power failure would leave now. */
  restartAfterPowerFailure(): Promise<TestServer>;
};

async function openFixtures(t: TestContext, survivingNames: SurvivingNames): Promise<Fixtures> {
  // The servers remove their directories.
  const dataDirectory = await mkdtemp(join(tmpdir(), 'cloche-'));
  const simulator = await PowerFailureSimulator.start(t, dataDirectory);
  const service = await openTestServer(t, { dataDirectory });
  const restartAfterPowerFailure = async () => {
    const target = await mkdtemp(join(tmpdir(), 'cloche-'));
    simulator.restore(target, survivingNames);
    shareDatabase(dataDirectory, target);
    const restarted = await openTestServer(t, { dataDirectory: target });
    return { ...restarted, token: service.token };
  };
  return { service, restartAfterPowerFailure };
}

for (const survivingNames of ['synced', 'current'] as const) {
  const situation = `a power failure, after which the ${survivingNames} names of files survive`;

  test(`an upload can be continued after ${situation}`, async (t) => {
    const { service, restartAfterPowerFailure } = await openFixtures(t, survivingNames);
    const path = await createUpload(service, MODEL.length);
    const created = await headUpload(await restartAfterPowerFailure(), path);
    assert.deepEqual([created.statusCode, created.headers['upload-offset']], [200, '0']);

    assert.equal((await patchUpload(service, path, HALF)).statusCode, 204);
    const restarted = await restartAfterPowerFailure();
    const { headers } = await headUpload(restarted, path);
    assert.equal(headers['upload-offset'], String(HALF.length));
    const rest = await patchUpload(restarted, path, MODEL.subarray(HALF.length), HALF.length);
    assert.equal(rest.statusCode, 204, rest.body);
    await assertStored(restarted, String(rest.headers['cloche-design']));
  });

  test(`a length that was sent later is known after ${situation}`, async (t) => {
    const { service, restartAfterPowerFailure } = await openFixtures(t, survivingNames);
    const created = await sendRequest(service, 'POST', '/v1/uploads', undefined, {
      ...TUS_HEADERS,
      'upload-defer-length': '1',
    });
    const path = new URL(String(created.headers.location)).pathname;
    const headers = { 'upload-offset': '0', 'upload-length': String(MODEL.length) };
    await sendRequest(service, 'PATCH', path, HALF, { ...TUS_PATCH_HEADERS, ...headers });
    const head = await headUpload(await restartAfterPowerFailure(), path);
    const { 'upload-length': length, 'upload-offset': offset } = head.headers;
    assert.deepEqual([length, offset], [String(MODEL.length), String(HALF.length)]);
  });

  test(`a complete upload has its design after ${situation}`, async (t) => {
    const { service, restartAfterPowerFailure } = await openFixtures(t, survivingNames);
    const path = await createUpload(service, MODEL.length);
    const design = String((await patchUpload(service, path, MODEL)).headers['cloche-design']);
    const restarted = await restartAfterPowerFailure();
    assert.equal((await headUpload(restarted, path)).headers['cloche-design'], design);
    await assertStored(restarted, design);
    const names = await readdir(join(restarted.dataDirectory, 'uploads'));
    assert.deepEqual(names, [`${basename(path)}.json`]);
  });

  test(`a deleted upload stays deleted after ${situation}`, async (t) => {
    const { service, restartAfterPowerFailure } = await openFixtures(t, survivingNames);
    const path = await createUpload(service, MODEL.length);
    await sendRequest(service, 'DELETE', path, undefined, TUS_HEADERS);
    const restarted = await restartAfterPowerFailure();
    assert.equal((await headUpload(restarted, path)).statusCode, 404);
  });
}

async function assertStored(service: TestServer, designUri: string): Promise<void> {
  const id = designUri.slice('cloche:design:'.length);
  const { rawPayload } = await sendRequest(service, 'GET', `/v1/designs/${id}/model`);
  assert.ok(rawPayload.equals(MODEL), 'the source file is damaged');
}

test('an upload whose metadata cannot be read is kept, and a later start can read it', async (t) => {
  const service = await openTestServer(t);
  const path = await createUpload(service, MODEL.length);
  await patchUpload(service, path, HALF);
  const directory = join(service.dataDirectory, 'uploads');
  const id = basename(path);
  // Reading a link to itself fails, also for root.
  const unreadable = 'e'.repeat(32);
  await symlink(`${unreadable}.json`, join(directory, `${unreadable}.json`));
  const before = await readdir(directory);
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => warnings.push(fields) };
  const store = await TusUploadStore.open(directory, log);
  assert.deepEqual(await readdir(directory), before);
  assert.equal(await store.find(unreadable), undefined);
  assert.equal((await store.find(id))?.id, id);
  const [{ err, upload }] = warnings as [{ err: NodeJS.ErrnoException; upload: string }];
  assert.deepEqual([err.code, upload, warnings.length], ['ELOOP', unreadable, 1]);

  await rm(join(directory, `${unreadable}.json`));
  await TusUploadStore.open(directory);
  assert.deepEqual(
    await readdir(directory),
    before.filter((name) => !name.startsWith(unreadable)),
  );
});

test('an upload whose metadata cannot be written is not continued by a repeated request', async (t) => {
  const service = await openTestServer(t);
  const headers = { ...TUS_HEADERS, 'upload-length': '8', 'idempotency-key': 'k'.repeat(24) };
  const create = () => sendRequest(service, 'POST', '/v1/uploads', undefined, headers);
  const noSpace = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  const set = t.mock.method(TusUploadStore.prototype, 'set', () => Promise.reject(noSpace));
  assert.equal((await create()).statusCode, 507);
  assert.deepEqual(await listUploadDirectory(service), []);
  set.mock.restore();
  assert.equal((await create()).statusCode, 201);
  assert.deepEqual(await listUploadDirectory(service), ['data', 'metadata']);
});
