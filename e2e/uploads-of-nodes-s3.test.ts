import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { makeLargeGlb } from '@cloche/pipeline/testing/models';
import { skipWithout } from '../scripts/optional-programs.ts';
import type { RadosGateway } from '../scripts/radosgw/radosgw.ts';
import { type SharedServers, startSharedServers } from './nodes-with-bucket.ts';
import { UploadNodes } from './upload-nodes.ts';
import {
  cancelOnOtherNode,
  continueAfterKill,
  continueOnOtherNodes,
  patchAtOnce,
  takeOverFromSilentClient,
} from './uploads-of-nodes-cases.ts';

const MIB = 1024 * 1024;

describe('uploads of two nodes with one bucket', { skip: skipWithout('radosgw') }, () => {
  let servers: SharedServers;
  let gateway: RadosGateway;

  before(async () => {
    servers = await startSharedServers('uploads');
    gateway = servers.gateway;
  });
  after(() => servers?.[Symbol.asyncDispose]());

  const openNodes = async (t: TestContext, prefix: string) =>
    UploadNodes.open(t, await servers.createSettings(prefix));

  it('begins an upload on one node, continues on another one and finishes on the first', async (t) => {
    await continueOnOtherNodes(await openNodes(t, 'continue'));
  });

  it('continues on another node after the first was killed during a PATCH', async (t) => {
    await continueAfterKill(await openNodes(t, 'kill'));
  });

  it('stores the bytes of exactly one of 8 PATCH requests for the same offset', async (t) => {
    const nodes = await openNodes(t, 'other');
    await patchAtOnce(nodes);
    await takeOverFromSilentClient(nodes);
    await cancelOnOtherNode(nodes);
  });

  it('keeps acknowledged bytes when the S3 server is killed during a PATCH', async (t) => {
    const nodes = await openNodes(t, 'gateway');
    const { first, second } = nodes;
    const bytes = makeLargeGlb(24 * MIB);
    const path = await nodes.create(first, bytes);
    const interrupted = nodes.beginPatch(first, path, bytes, 0, 10 * MIB);
    const stored = await nodes.waitForOffset(path, 8 * MIB);
    await gateway.kill();
    interrupted.send(bytes.subarray(10 * MIB));
    assert.equal(await interrupted.status, 503);
    // What was received later may have been stored before the server was killed.
    const kept = await nodes.getOffset(second, path);
    assert.ok(kept >= stored && kept <= 10 * MIB, `${kept}`);
    const refused = await nodes.patch(second, path, bytes.subarray(kept), kept);
    assert.equal(refused.status, 503);
    await gateway.restart();
    const offset = await nodes.getOffset(second, path);
    assert.ok(offset >= kept, `${offset}`);
    const last = await nodes.patch(second, path, bytes.subarray(offset), offset);
    await nodes.assertDesign(last, bytes);
  });
});
