import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox } from '@cloche/pipeline/testing/models';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import type { TestServer } from '../../testing/harness.ts';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import type { BlobRef } from '../blobs/blob-store.ts';
import { createDesign } from '../designs/design.ts';
import { completeDesignFields } from '../designs/design-fields.ts';
import { DesignStore } from '../designs/design-store.ts';
import { RevisionStore } from '../designs/revision-store.ts';
import { NO_QUOTAS } from '../quotas/quota.ts';
import { Quotas } from '../quotas/quotas.ts';
import { ReservationStore } from '../quotas/reservation-store.ts';
import { createInitialUser } from '../startup/bootstrap-token.ts';
import type { Database } from './database.ts';
import { runTransaction } from './transaction.ts';

// Requests to several nodes with one database, at once.

const WITHOUT_WAIT = { 'content-type': 'model/gltf-binary', prefer: '' };
const ROUNDS = [0, 1, 2, 3, 4, 5];

const { openNodes, openServices } = usePostgresNodes();

/** Sends the same request to each service in turn. */
async function sendToAll<T>(
  services: readonly TestServer[],
  count: number,
  send: (service: TestServer, index: number) => Promise<T>,
): Promise<T[]> {
  const requests = Array.from({ length: count }, (_, index) =>
    send(services[index % services.length] ?? assert.fail(), index),
  );
  return Promise.all(requests);
}

function countStatuses(responses: readonly { statusCode: number }[]): Record<number, number> {
  const groups = Map.groupBy(responses, ({ statusCode }) => statusCode);
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]));
}

const createDesignAt = (service: TestServer, index: number) =>
  sendRequest(service, 'POST', '/v1/designs', makeBox({ name: `${index}` }), WITHOUT_WAIT);

test('12 models that replace one at once on two nodes become 12 revisions', async (t) => {
  const services = await openServices(t);
  const { id } = await uploadTestDesign(services[0]);
  const responses = await sendToAll(services, 12, (service, index) => {
    const model = makeBox({ name: `${index}` });
    return sendRequest(service, 'PUT', `/v1/designs/${id}/model`, model, WITHOUT_WAIT);
  });
  assert.deepEqual(countStatuses(responses), { 200: 12 }, responses[0]?.body);
  const { items } = (await sendRequest(services[0], 'GET', `/v1/designs/${id}/revisions`)).json();
  const numbers = items.map(({ number }: { number: number }) => number);
  assert.deepEqual(numbers, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('of 12 models that replace the same version at once on two nodes, one does', async (t) => {
  const services = await openServices(t);
  const { id } = await uploadTestDesign(services[0]);
  const { headers } = await sendRequest(services[0], 'GET', `/v1/designs/${id}`);
  const conditional = { ...WITHOUT_WAIT, 'if-match': String(headers.etag) };
  const responses = await sendToAll(services, 12, (service, index) => {
    const model = makeBox({ name: `${index}` });
    return sendRequest(service, 'PUT', `/v1/designs/${id}/model`, model, conditional);
  });
  assert.deepEqual(countStatuses(responses), { 200: 1, 412: 11 });
});

test('16 changes of different fields at once on two nodes are all made', async (t) => {
  const services = await openServices(t);
  const { id } = await uploadTestDesign(services[0]);
  const fields = [
    { name: 'new' },
    { description: 'new' },
    { tags: ['new'] },
    { externalId: 'new' },
  ];
  const responses = await sendToAll(services, 16, (service, index) =>
    sendRequest(service, 'PATCH', `/v1/designs/${id}`, fields[index % 4]),
  );
  assert.deepEqual(countStatuses(responses), { 200: 16 });
  // A PATCH reads the design from the database.
  const design = (
    await sendRequest(services[0], 'PATCH', `/v1/designs/${id}`, { name: 'new' })
  ).json();
  for (const [field, value] of Object.entries(Object.assign({}, ...fields)))
    assert.deepEqual(design[field], value, field);
});

for (const round of ROUNDS)
  test(`a revision that is chosen and deleted at once on two nodes is either shown or deleted, ${round}`, async (t) => {
    const services = await openServices(t);
    const { id } = await uploadTestDesign(services[0]);
    const ready = { ...WITHOUT_WAIT, prefer: 'wait=30' };
    const model = makeBox({ name: 'B' });
    await sendRequest(services[0], 'PUT', `/v1/designs/${id}/model`, model, ready);
    const [chosen, deleted] = await sendToAll(services, 2, (service, index) =>
      index === 0
        ? sendRequest(service, 'PATCH', `/v1/designs/${id}`, { revision: 1 })
        : sendRequest(service, 'DELETE', `/v1/designs/${id}/revisions/1`),
    );
    const isChosen = chosen?.statusCode === 200;
    assert.equal(deleted?.statusCode, isChosen ? 409 : 204, deleted?.body);
    if (!isChosen) assert.equal(chosen?.json().code, 'request.invalid');
    const design = await sendRequest(services[1], 'GET', `/v1/designs/${id}`);
    assert.equal(design.json().revision, isChosen ? 1 : 2);
  });

test('uploads at once on two nodes do not exceed the queue', async (t) => {
  const blocking = createBlockingProcessor();
  const processing = { modelProcessor: blocking.processor, maxQueuedJobs: 6 };
  const services = await openServices(t, { processing });
  const responses = await sendToAll(services, 12, createDesignAt);
  assert.deepEqual(countStatuses(responses), { 201: 3, 503: 9 });
  blocking.release();
});

for (const [name, send] of [
  [
    'posters that are requested',
    (service: TestServer, id: string) => sendRequest(service, 'POST', `/v1/designs/${id}/poster`),
  ],
  [
    'posters of other options',
    (service: TestServer, id: string) =>
      sendRequest(service, 'PATCH', `/v1/designs/${id}`, { viewer: { exposure: 2 } }),
  ],
] as const)
  test(`${name} at once on two nodes do not exceed the queue`, async (t) => {
    const released = Promise.withResolvers<void>();
    t.after(() => released.resolve());
    let isBlocked = false;
    const posterRenderer: PosterRenderer = {
      async render() {
        if (isBlocked) await released.promise;
        return { images: [], placeholder: { background: '#fff' }, hasOneColor: false };
      },
    };
    const processing = { posterRenderer, maxQueuedJobs: 6 };
    const services = await openServices(t, { processing });
    const ids: string[] = [];
    while (ids.length < 12) ids.push((await uploadTestDesign(services[0])).id);
    isBlocked = true;
    const responses = await sendToAll(services, 12, (service, index) =>
      send(service, ids[index] ?? assert.fail()),
    );
    const accepted = responses.filter(({ statusCode }) => statusCode < 300);
    assert.equal(accepted.length, 3, JSON.stringify(countStatuses(responses)));
    released.resolve();
  });

test('uploads at once on two nodes do not exceed the quota of designs', async (t) => {
  const services = await openServices(t, { quotas: { bytes: 0, designs: 3 } });
  const responses = await sendToAll(services, 12, createDesignAt);
  assert.deepEqual(countStatuses(responses), { 201: 3, 403: 9 });
});

/** Stores a file in one transaction, as ingestFile does, but without the lock of the queue. */
async function storeFile(database: Database, user: string, limits: typeof NO_QUOTAS) {
  const designs = new DesignStore(database);
  const revisions = new RevisionStore(database, designs);
  const quotas = new Quotas({
    database,
    limits,
    pendingUploads: { sumPending: async () => NO_QUOTAS },
    reservations: new ReservationStore({ database, node: 'n', leaseTime: async () => new Date() }),
  });
  const design = createDesign({ ...completeDesignFields({}, 'chair'), user }, new Date());
  const source = {
    blob: '0'.repeat(64) as BlobRef,
    sizeBytes: 1_000,
    fileName: undefined,
    detectedFormat: { format: 'glb' as const },
  };
  await runTransaction(database, async (trx) => {
    await quotas.assertStorable(user, { bytes: source.sizeBytes, designs: 1 }, trx);
    await designs.add(design, trx);
    const revision = { id: randomUUID(), designId: design.id, number: 1, source };
    await revisions.add(revision, new Date(), trx);
  });
}

for (const [name, limits] of [
  ['bytes', { bytes: 3_500, designs: 0 }],
  ['designs', { bytes: 0, designs: 3 }],
] as const) {
  test(`files that are stored at once on two nodes do not exceed the quota of ${name}`, async (t) => {
    const nodes = await openNodes(t, 2, 8);
    await createInitialUser(nodes[0], new Date(), async () => {});
    const { id: user } = await nodes[0].selectFrom('user').select('id').executeTakeFirstOrThrow();
    const stored = await Promise.allSettled(
      ROUNDS.flatMap(() => nodes.map((node) => storeFile(node, user, limits))),
    );
    const failures = stored.filter((result) => result.status === 'rejected');
    assert.equal(stored.length - failures.length, 3);
    for (const { reason } of failures) assert.equal(reason.code, 'upload.quota');
  });
}
