import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type PostgresServer, startPostgresServer } from '../server/testing/postgres-server.ts';
import { createPostgresDatabase, createTemplate } from '../server/testing/test-database.ts';
import { UploadNodes } from './upload-nodes.ts';
import {
  cancelOnOtherNode,
  continueAfterKill,
  continueAfterPause,
  continueOnOtherNodes,
  keepQueued,
  patchAtOnce,
  takeOverFromSilentClient,
} from './uploads-of-nodes-cases.ts';

describe('uploads of two nodes with one folder', () => {
  let server: PostgresServer;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cloche-uploads-'));
    server = await startPostgresServer();
    await createTemplate(server.url);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  const openNodes = async (t: TestContext, name: string) =>
    UploadNodes.open(t, {
      CLOCHE_DATABASE_URL: await createPostgresDatabase(server.url),
      CLOCHE_FILES: join(folder, name),
    });

  it('begins an upload on one node, continues on another one and finishes on the first', async (t) => {
    await continueOnOtherNodes(await openNodes(t, 'continue'));
    assert.deepEqual(await readdir(join(folder, 'continue', 'uploads')), []);
  });

  it('web nodes process no file', async (t) => {
    await keepQueued(await openNodes(t, 'queued'));
  });

  it('continues on another node after the first was killed during a PATCH', async (t) => {
    await continueAfterKill(await openNodes(t, 'kill'));
  });

  it('a node that was paused during a PATCH changes nothing after another one has taken over', async (t) => {
    await continueAfterPause(await openNodes(t, 'pause'));
  });

  it('a request to another node ends the PATCH of a client that has gone silent', async (t) => {
    await takeOverFromSilentClient(await openNodes(t, 'silent'));
  });

  it('stores the bytes of exactly one of 8 PATCH requests for the same offset', async (t) => {
    await patchAtOnce(await openNodes(t, 'at-once'));
  });

  it('cancels an upload on another node while it is written to', async (t) => {
    const nodes = await openNodes(t, 'cancel');
    await cancelOnOtherNode(nodes);
    assert.deepEqual(await readdir(join(folder, 'cancel', 'uploads')), []);
  });
});
