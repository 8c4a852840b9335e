import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { skipWithout } from '../scripts/optional-programs.ts';
import { createBucket } from '../scripts/radosgw/create-bucket.ts';
import { type RadosGateway, startRadosGateway } from '../scripts/radosgw/radosgw.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { ApiClient } from './api-client.ts';
import { ServiceProcess } from './service-process.ts';

describe('a service with an S3 bucket', { skip: skipWithout('radosgw') }, () => {
  let folder: string;
  let gateway: RadosGateway;
  let settings: Record<string, string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'radosgw-'));
    gateway = await startRadosGateway(folder);
    settings = await createBucket(gateway, 'designs');
  });

  after(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a service with a folder of its own in the bucket. */
  const startService = (t: TestContext, prefix: string, changes: Record<string, string> = {}) =>
    ServiceProcess.open(t, {
      ...settings,
      CLOCHE_S3_URL: `${settings.CLOCHE_S3_URL}/${prefix}`,
      ...changes,
    });

  it('serves what was uploaded, also after a restart, and has no files of designs itself', async (t) => {
    const service = await startService(t, 'restart');
    const api = await ApiClient.create(service);
    const { status, body } = await api.upload(makeBox());
    assert.equal(status, 201);
    assert.equal((await api.getDesign(body.id)).status, 'ready');
    await service.stop('SIGTERM');
    await service.start();
    const response = await api.request(`/v1/designs/${body.id}/model`);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get('etag'), `"${toSha256(bytes)}"`);
    assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'sha256')), []);
    assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'drafts')), []);
  });

  it('serves what it has cached on its disk while the bucket is gone, also after a restart', async (t) => {
    const service = await startService(t, 'cached');
    const api = await ApiClient.create(service);
    const { body } = await api.upload(makeBox());
    const read = () => api.request(`/v1/designs/${body.id}/model`);
    const first = await (await read()).bytes();
    const cache = join(service.dataDirectory, 'cache');
    const isCached = async () =>
      (await readdir(cache)).some(
        (name) => name.startsWith(`${toSha256(first)}.`) && !name.endsWith('.new'),
      );
    await waitUntil('the model to be cached', isCached);
    await service.stop('SIGKILL');
    await service.start();
    await gateway.kill();
    try {
      assert.deepEqual(await (await read()).bytes(), first);
    } finally {
      await gateway.restart();
    }
  });

  it('answers 503 with Retry-After while the bucket is frozen or gone, and keeps what was acknowledged', async (t) => {
    const service = await startService(t, 'faults', { CLOCHE_CACHE_MB: '0' });
    const api = await ApiClient.create(service);
    const { body } = await api.upload(makeBox());
    const read = () => api.request(`/v1/designs/${body.id}/model`);
    await service.stop('SIGTERM');
    await service.start();

    gateway.pause();
    t.after(() => gateway.resume());
    const post = () =>
      api.request('/v1/designs', {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: new Uint8Array(makeBox({ color: [0, 0, 1] })),
      });
    // The server does not continue before the responses have arrived.
    for (const response of await Promise.all([read(), post()])) await assertUnavailable(response);
    gateway.resume();
    // It answers what has waited first.
    await waitUntil('the bucket responds', async () => (await read()).status === 200);

    await service.stop('SIGTERM');
    await service.start();
    await gateway.kill();
    await assertUnavailable(await read());
    await assertUnavailable(await post());
    await gateway.restart();
    await waitUntil('the bucket responds', async () => (await read()).status === 200);
    assert.equal((await post()).status, 201);
  });
});

async function assertUnavailable(response: Response): Promise<void> {
  const { code } = (await response.json()) as { code: string };
  assert.deepEqual([response.status, code], [503, 'server.unavailable']);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
}

function toSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
