import assert from 'node:assert/strict';
import type { Design } from '@cloche/contract/design';
import { makeBox, makeLargeGlb } from '@cloche/pipeline/testing/models';
import { TUS_HEADERS } from '../server/testing/tus-requests.ts';
import type { UploadNodes } from './upload-nodes.ts';

const MIB = 1024 * 1024;

/** An upload that is begun on one node, continued on another one, and finished on the first. */
export async function continueOnOtherNodes(nodes: UploadNodes): Promise<void> {
  const { first, second } = nodes;
  const bytes = makeLargeGlb(6 * MIB);
  const path = await nodes.create(first, bytes, { 'idempotency-key': 'one-upload' });
  assert.equal(await nodes.create(second, bytes, { 'idempotency-key': 'one-upload' }), path);
  assert.equal((await nodes.patch(first, path, bytes.subarray(0, 2 * MIB), 0)).status, 204);
  assert.equal(await nodes.getOffset(second, path), 2 * MIB);
  const middle = bytes.subarray(2 * MIB, 4 * MIB);
  assert.equal((await nodes.patch(second, path, middle, 2 * MIB)).status, 204);
  assert.equal((await nodes.patch(second, path, middle, 2 * MIB)).status, 409);
  const last = await nodes.patch(first, path, bytes.subarray(4 * MIB), 4 * MIB);
  assert.equal(last.status, 204);
  await nodes.assertDesign(last, bytes);
  await nodes.assertDesign(await nodes.head(second, path), bytes);
  assert.equal(await nodes.countDesigns(), 1);
}

/** Without workers, files that are uploaded to web nodes stay queued. */
export async function keepQueued(nodes: UploadNodes): Promise<void> {
  const { first, second } = nodes;
  const headers = { 'content-type': 'model/gltf-binary' };
  for (const node of [first, second]) {
    const model = makeBox({ name: node.origin });
    const uploaded = await nodes.send(node, 'POST', '/v1/designs', headers, model);
    assert.equal(uploaded.status, 201);
  }
  const bytes = makeLargeGlb(MIB);
  await nodes.assertDesign(
    await nodes.patch(first, await nodes.create(first, bytes), bytes, 0),
    bytes,
  );
  // A worker looks for jobs at each upload, and every 5 s.
  await nodes.waitForHeartbeats();
  assert.deepEqual(await nodes.listJobs(), Array(3).fill({ attempts: 0, node: null }));
  const list = await nodes.send(second, 'GET', '/v1/designs');
  const { items } = (await list.json()) as { items: Design[] };
  assert.deepEqual(
    items.map(({ status }) => status),
    ['queued', 'queued', 'queued'],
  );
}

/** An upload whose node is killed during a PATCH, and that is continued on the other one. */
export async function continueAfterKill(nodes: UploadNodes): Promise<void> {
  const { first, second } = nodes;
  const bytes = makeLargeGlb(24 * MIB);
  const path = await nodes.create(first, bytes);
  const interrupted = nodes.beginPatch(first, path, bytes, 0, 20 * MIB);
  const stored = await nodes.waitForOffset(path, MIB);
  await first.kill();
  assert.equal(await interrupted.status, undefined);
  const offset = await nodes.getOffset(second, path);
  assert.ok(offset >= stored && offset <= 20 * MIB, `${offset}`);
  const last = await nodes.patch(second, path, bytes.subarray(offset), offset);
  await first.start();
  await nodes.assertDesign(last, bytes);
}

/** A PATCH whose client has gone silent is ended by a request to the other node. */
export async function takeOverFromSilentClient(nodes: UploadNodes): Promise<void> {
  const { first, second } = nodes;
  const bytes = makeLargeGlb(2 * MIB);
  const path = await nodes.create(first, bytes);
  const silent = nodes.beginPatch(first, path, bytes, 0, MIB);
  await nodes.waitForOffset(path, MIB);
  assert.equal(await nodes.getOffset(second, path), MIB);
  await nodes.assertDesign(await nodes.patch(second, path, bytes.subarray(MIB), MIB), bytes);
  silent.destroy();
}

/** Of PATCH requests for the same offset to two nodes, the bytes of exactly one are stored. */
export async function patchAtOnce(nodes: UploadNodes): Promise<void> {
  const { first, second } = nodes;
  const bytes = makeLargeGlb(2 * MIB);
  const path = await nodes.create(first, bytes);
  const start = 1000;
  assert.equal((await nodes.patch(first, path, bytes.subarray(0, start), 0)).status, 204);
  const body = bytes.subarray(start, MIB);
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      nodes.patch(index % 2 === 0 ? first : second, path, body, start),
    ),
  );
  const statuses = responses.map(({ status }) => status);
  assert.ok(
    statuses.every((status) => [204, 409, 423].includes(status)),
    statuses.join(),
  );
  const offsets = responses
    .filter(({ status }) => status === 204)
    .map(({ headers }) => Number(headers.get('upload-offset')));
  // A request that was stopped before its first byte has stored nothing.
  const stored = offsets.filter((offset) => offset !== start);
  const offset = await nodes.getOffset(second, path);
  assert.deepEqual(stored, [offset]);
  await nodes.assertDesign(await nodes.patch(second, path, bytes.subarray(offset), offset), bytes);
}

/** An upload that is deleted on one node while the other one writes to it. */
export async function cancelOnOtherNode(nodes: UploadNodes): Promise<void> {
  const { first, second } = nodes;
  const bytes = makeLargeGlb(2 * MIB);
  const path = await nodes.create(first, bytes);
  const silent = nodes.beginPatch(first, path, bytes, 0, MIB);
  await nodes.waitForOffset(path, MIB);
  assert.equal((await nodes.send(second, 'DELETE', path, TUS_HEADERS)).status, 204);
  assert.equal((await nodes.head(first, path)).status, 404);
  assert.equal((await nodes.patch(first, path, bytes.subarray(MIB), MIB)).status, 404);
  silent.destroy();
}

/** A node that is paused during a PATCH goes on after another one has taken the upload over. */
export async function continueAfterPause(nodes: UploadNodes): Promise<void> {
  const { first, second } = nodes;
  const bytes = makeLargeGlb(8 * MIB);
  const path = await nodes.create(first, bytes);
  const paused = nodes.beginPatch(first, path, bytes, 0, MIB);
  const stored = await nodes.waitForOffset(path, MIB);
  process.kill(first.pid, 'SIGSTOP');
  let middle: number;
  try {
    // The node finds these bytes, which differ from those of the file, when it goes on.
    paused.send(Buffer.alloc(4 * MIB, 'x'));
    const offset = await nodes.getOffset(second, path);
    assert.equal(offset, stored);
    middle = 4 * MIB;
    const response = await nodes.patch(second, path, bytes.subarray(offset, middle), offset);
    assert.equal(response.status, 204);
  } finally {
    process.kill(first.pid, 'SIGCONT');
  }
  assert.equal(await paused.status, 423);
  assert.equal(await nodes.getOffset(first, path), middle);
  await nodes.assertDesign(await nodes.patch(first, path, bytes.subarray(middle), middle), bytes);
}
