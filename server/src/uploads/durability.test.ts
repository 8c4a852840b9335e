import assert from 'node:assert/strict';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { PowerFailureSimulator, type SurvivingNames } from '../../testing/power-failure.ts';
import { sendRequest } from '../../testing/requests.ts';
import { shareDatabase } from '../../testing/test-database.ts';
import {
  createUpload,
  headUpload,
  patchUpload,
  TUS_HEADERS,
  TUS_PATCH_HEADERS,
} from '../../testing/tus-requests.ts';

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
    assert.deepEqual(await readdir(join(restarted.dataDirectory, 'uploads')), []);
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
