import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox, makeGridGlb, makeLargeGlb } from '@cloche/pipeline/testing/models';
import { skipWithout } from '../scripts/optional-programs.ts';
import type { RadosGateway } from '../scripts/radosgw/radosgw.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { MAX_ATTEMPTS } from '../server/src/processing/job.ts';
import { TUS_HEADERS, TUS_PATCH_HEADERS } from '../server/testing/tus-requests.ts';
import { ApiClient } from './api-client.ts';
import { type SharedServers, startSharedServers } from './nodes-with-bucket.ts';
import { ServiceProcess } from './service-process.ts';

const MIB = 1024 * 1024;
/** Its processing takes seconds. */
const SLOW_TRIANGLES = 1_000_000;
const ATTEMPTS_TIMEOUT_MS = 400_000;
const OUTAGE_MS = 10_000;

type Node = { service: ServiceProcess; api: ApiClient };

describe('three nodes with one bucket', { skip: skipWithout('radosgw') }, () => {
  let servers: SharedServers;
  let gateway: RadosGateway;

  before(async () => {
    servers = await startSharedServers('nodes');
    gateway = servers.gateway;
  });
  after(() => servers?.[Symbol.asyncDispose]());

  /** Starts two nodes that receive files, and one that processes them. */
  const openNodes = async (t: TestContext, prefix: string) => {
    const settings = {
      ...(await servers.createSettings(prefix)),
      CLOCHE_GRANT_KEY: '0'.repeat(64),
    };
    const open = (role: string) => ServiceProcess.open(t, { ...settings, CLOCHE_ROLE: role });
    const first = await open('web');
    const readBootstrapToken = () => first.readBootstrapToken();
    const toNode = async (service: ServiceProcess): Promise<Node> => ({
      service,
      api: await ApiClient.create({ origin: service.origin, readBootstrapToken }),
    });
    return {
      first: await toNode(first),
      second: await toNode(await open('web')),
      worker: await toNode(await open('worker')),
    };
  };

  const OUTAGES = [
    {
      name: 'frozen for 10 seconds',
      prefix: 'frozen',
      begin: async () => gateway.pause(),
      end: async () => gateway.resume(),
      failedAttempts: 1,
    },
    {
      name: 'killed',
      prefix: 'killed',
      begin: () => gateway.kill(),
      end: () => gateway.restart(),
      failedAttempts: MAX_ATTEMPTS + 1,
    },
    {
      name: 'frozen for 10 seconds, then killed',
      prefix: 'both',
      begin: async () => gateway.pause(),
      end: async () => {
        await gateway.kill();
        await gateway.restart();
      },
      failedAttempts: 1,
    },
  ];

  for (const { name, prefix, begin, end, failedAttempts } of OUTAGES) {
    it(`answers 503 with Retry-After while the gateway is ${name}, and continues everything afterwards`, async (t) => {
      const { first, second, worker } = await openNodes(t, prefix);
      const [shownBytes, unreadBytes, uploaded] = [0, 1, 2].map((blue) =>
        blue === 2 ? makeLargeGlb(4 * MIB) : makeBox({ color: [0, 1, blue] }),
      ) as [Buffer, Buffer, Buffer];
      const shown = (await first.api.upload(shownBytes)).body;
      const unread = (await first.api.upload(unreadBytes)).body;
      assert.deepEqual([shown.status, unread.status], ['ready', 'ready']);
      const artifact = await showDesign(second, shown.id);
      await waitUntilCached(second, artifact);
      const path = await beginUpload(first, uploaded, MIB);
      const slow = (await first.api.upload(makeGridGlb(SLOW_TRIANGLES), { waitS: 0 })).body;
      await waitUntil('the job to run', async () => {
        const { status } = await first.api.getDesign(slow.id);
        return status === 'processing';
      });

      await begin();
      const elapsed = sleep(OUTAGE_MS);
      try {
        const sendAll = async () => {
          const requests = [first, second].flatMap(({ api }, index) => [
            post(api, makeBox({ color: [1, index, 0] })),
            patch(api, path, uploaded.subarray(MIB), MIB),
          ]);
          requests.push(second.api.request(`/v1/designs/${unread.id}/model`));
          // The gateway does not continue before all responses have arrived.
          for (const response of await Promise.all(requests)) await assertUnavailable(response);
        };
        await sendAll();
        await elapsed;
        await sendAll();
        // Only the database and the cache are needed.
        assert.deepEqual(await showDesign(second, shown.id), artifact);
        assert.equal((await second.api.request('/v1/designs')).status, 200);
        await waitForFailedAttempts(worker, failedAttempts);
        assert.equal((await first.api.getDesign(slow.id)).status, 'processing');
      } finally {
        await end();
      }

      // It answers what has waited first.
      await waitUntil(
        'the bucket responds',
        async () => (await second.api.request(`/v1/designs/${unread.id}/model`)).ok,
      );
      const model = await second.api.getSourceFile(unread.id);
      assert.ok(model.equals(unreadBytes), 'the file is damaged');
      const offset = await readOffset(second, path);
      assert.ok(offset >= MIB, `${offset} bytes are left of ${MIB}`);
      const last = await patch(second.api, path, uploaded.subarray(offset), offset);
      assert.equal(last.status, 204, await last.text());
      const id = (last.headers.get('cloche-design') ?? '').split(':').at(-1) ?? '';
      assert.ok((await first.api.getSourceFile(id)).equals(uploaded), 'the upload is damaged');
      assert.equal((await first.api.waitUntilSettled(slow.id)).status, 'ready');
      assert.equal((await first.api.waitUntilSettled(id)).status, 'ready');
      // A request that was answered with 503 has left no design.
      const list = await (await first.api.request('/v1/designs')).json();
      const ids = (list as { items: { id: string }[] }).items.map((design) => design.id);
      assert.deepEqual(ids.sort(), [shown.id, unread.id, slow.id, id].sort());
      for (const { service } of [first, second, worker])
        assert.equal(await service.stop('SIGTERM'), 0, service.output);
    });
  }
});

/** Loads the framed document and the model that it names. */
async function showDesign({ api }: Node, id: string): Promise<Buffer> {
  return api.getArtifact(await api.getViewerConfig(id));
}

async function waitUntilCached({ service }: Node, bytes: Buffer): Promise<void> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const isCached = async () =>
    (await readdir(join(service.dataDirectory, 'cache'))).some(
      (file) => file.startsWith(`${sha256}.`) && !file.endsWith('.new'),
    );
  await waitUntil('the model to be cached', isCached);
}

/** Waits until the processing of a file has failed so often. */
async function waitForFailedAttempts({ service }: Node, count: number): Promise<void> {
  const hasFailed = () => service.output.split('a processing attempt failed').length > count;
  await waitUntil(() => `${count} failed attempts: ${service.output}`, hasFailed, {
    timeoutMs: ATTEMPTS_TIMEOUT_MS,
  });
}

function post(api: ApiClient, bytes: Buffer): Promise<Response> {
  const headers = { 'content-type': 'application/octet-stream' };
  return api.request('/v1/designs', { method: 'POST', headers, body: new Uint8Array(bytes) });
}

function patch(api: ApiClient, path: string, bytes: Buffer, offset: number): Promise<Response> {
  const headers = { ...TUS_PATCH_HEADERS, 'upload-offset': String(offset) };
  return api.request(path, { method: 'PATCH', headers, body: new Uint8Array(bytes) });
}

/** Begins an upload, stores the first bytes, and returns its path. */
async function beginUpload({ api }: Node, bytes: Buffer, count: number): Promise<string> {
  const headers = { ...TUS_HEADERS, 'upload-length': String(bytes.length) };
  const response = await api.request('/v1/uploads', { method: 'POST', headers });
  assert.equal(response.status, 201, await response.text());
  const path = new URL(response.headers.get('location') ?? '').pathname;
  assert.equal((await patch(api, path, bytes.subarray(0, count), 0)).status, 204);
  return path;
}

async function readOffset({ api }: Node, path: string): Promise<number> {
  const response = await api.request(path, { method: 'HEAD', headers: TUS_HEADERS });
  assert.equal(response.status, 200);
  return Number(response.headers.get('upload-offset'));
}

async function assertUnavailable(response: Response): Promise<void> {
  assert.equal(response.status, 503, `${response.url}: ${await response.text()}`);
  assert.ok(Number(response.headers.get('retry-after')) > 0, response.url);
}
