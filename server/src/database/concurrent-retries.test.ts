import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { sql } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import type { TestServerOptions } from '../../testing/harness.ts';
import { type NodeService, usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { beginDesignUpload } from '../../testing/raw-connection.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { BlockingBlobStore, createMeetingBlobStore } from '../../testing/test-blobs.ts';
import type { BlobRef } from '../blobs/blob-store.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { lockUntilCommit } from './locks.ts';

// A request and its retry with the same Idempotency-Key, at once on two nodes. The second one may fail because of the first
// before it claims the key: both get the first response.

const KEY = { 'idempotency-key': 'order-66' };
const UPLOAD = { 'content-type': 'model/gltf-binary', prefer: '', ...KEY };
const MODEL = makeBox({ name: 'retried' });

const { openServices } = usePostgresNodes();

/** Opens two services that store MODEL when both have received it: after both have looked up the key. */
async function openMeetingServices(
  t: TestContext,
  options: TestServerOptions = {},
): Promise<[NodeService, NodeService]> {
  const disk = await DiskBlobStore.open(await openTemporaryDirectory(t));
  const blobs = createMeetingBlobStore(disk, hash('sha256', MODEL) as BlobRef, 2);
  return openServices(t, { blobs, ...options });
}

/** Sends a request to both services at once, and asserts that both get the same response. */
async function assertSameResponses(
  services: readonly NodeService[],
  status: number,
  ...request: [method: 'POST' | 'PUT', url: string, body: object, headers: Record<string, string>]
): Promise<void> {
  const responses = await Promise.all(services.map((service) => sendRequest(service, ...request)));
  const [first, second] = responses;
  assert.deepEqual(
    responses.map(({ statusCode }) => statusCode),
    [status, status],
    responses.map(({ body }) => body).join('\n'),
  );
  assert.equal(second?.body, first?.body);
  assert.equal(second?.headers.etag, first?.headers.etag);
}

test('a design with an external id that is created at once on two nodes is one design', async (t) => {
  const services = await openMeetingServices(t);
  await assertSameResponses(services, 201, 'POST', '/v1/designs?externalId=sofa', MODEL, UPLOAD);
  const { items } = (await sendRequest(services[0], 'GET', '/v1/designs')).json();
  assert.equal(items.length, 1);
});

test('the last place of the queue is for one design that is created at once on two nodes', async (t) => {
  const blocking = createBlockingProcessor();
  const processing = { modelProcessor: blocking.processor, maxQueuedJobs: 1 };
  const services = await openMeetingServices(t, { processing });
  await assertSameResponses(services, 201, 'POST', '/v1/designs', MODEL, UPLOAD);
  blocking.release();
});

test('the last place of the quota is for one design that is created at once on two nodes', async (t) => {
  const blobs = await BlockingBlobStore.open(t);
  const services = await openServices(t, { blobs, quotas: { bytes: 0, designs: 1 } });
  const { database } = services[0];
  const user = await database.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const create = (service: NodeService) =>
    sendRequest(service, 'POST', '/v1/designs', MODEL, UPLOAD);
  const first = create(services[0]);
  await blobs.commitStarted;
  const { retry } = await database.transaction().execute(async (trx) => {
    await lockUntilCommit(trx, `quota:${user.id}`);
    blobs.release();
    await waitUntil('the first request waits', async () => (await countLockWaits(database)) === 1);
    const retry = create(services[1]);
    // PostgreSQL grants the lock in this order.
    await waitUntil('the retry waits', async () => (await countLockWaits(database)) === 2);
    return { retry };
  });
  assert.equal((await first).statusCode, 201);
  assert.equal((await retry).body, (await first).body);
});

test('the last place of the quota is for a design whose retry comes to another node meanwhile', async (t) => {
  const services = await openServices(t, { listen: true, quotas: { bytes: 0, designs: 1 } });
  const first = await beginDesignUpload(t, services[0], MODEL.length, 'POST /v1/designs', KEY);
  const retry = () => sendRequest(services[1], 'POST', '/v1/designs', MODEL, UPLOAD);
  await waitUntil('the first request has reserved', async () => {
    const usage = (await sendRequest(services[1], 'GET', '/v1/usage')).json();
    return usage.designs.reserved === 1;
  });
  const { statusCode, headers } = await retry();
  assert.deepEqual([statusCode, headers['retry-after']], [409, '1']);
  const response = await first.write(MODEL).readResponse();
  assert.deepEqual([(await retry()).body, response?.status], [response?.body, 201]);
});

test('a model with If-Match that is replaced at once on two nodes is one revision', async (t) => {
  const services = await openMeetingServices(t);
  const { id } = await uploadTestDesign(services[0]);
  const { headers } = await sendRequest(services[0], 'GET', `/v1/designs/${id}`);
  const conditional = { ...UPLOAD, 'if-match': String(headers.etag) };
  await assertSameResponses(services, 200, 'PUT', `/v1/designs/${id}/model`, MODEL, conditional);
  const { items } = (await sendRequest(services[0], 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.equal(items.length, 2);
});

test('a token with If-Match that is rotated at once on two nodes has one successor', async (t) => {
  const services = await openServices(t);
  const { id } = await issueToken(services[0]);
  const { headers } = await sendRequest(services[0], 'GET', `/v1/tokens/${id}`);
  const conditional = { ...KEY, 'if-match': String(headers.etag) };
  const { database } = services[0];
  const rotations = await database.transaction().execute(async (trx) => {
    await trx.selectFrom('token').select('id').where('id', '=', id).forUpdate().execute();
    const url = `/v1/tokens/${id}/rotate`;
    const sent = assertSameResponses(services, 201, 'POST', url, {}, conditional);
    await waitUntil('both rotations wait', async () => (await countLockWaits(database)) === 2);
    // Not awaited: they continue after the commit.
    return { sent };
  });
  await rotations.sent;
  assert.equal((await sendRequest(services[0], 'GET', '/v1/tokens')).json().items.length, 3);
});

async function countLockWaits(database: NodeService['database']): Promise<number> {
  const { rows } = await sql<{ count: string }>`SELECT count(*) AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(database);
  return Number(rows[0]?.count);
}
