import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.ts';
import { createPostgresDatabase, createTemplate } from '../../testing/test-database.ts';
import type { Database } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { listRefs, storeBlob, toChunks } from './blob-store.contract.ts';
import { DiskBlobStore } from './disk-blob-store.ts';
import { deleteEndedRetentions, SharedBlobStore } from './shared-blob-store.ts';

const HOUR_MS = 60 * 60 * 1000;

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
  await createTemplate(server.url);
});
after(() => server[Symbol.asyncDispose]());

type TestNodes = {
  first: SharedBlobStore;
  second: SharedBlobStore;
  database: Database;
  advanceTime(ms: number): void;
};

/** Opens one folder as two nodes would. */
async function openNodes(t: TestContext): Promise<TestNodes> {
  const url = await createPostgresDatabase(server.url);
  const database = openPostgres({ url, onError: () => {} });
  t.after(() => database.destroy());
  const directory = await openTemporaryDirectory(t);
  let advancedMs = 0;
  const now = () => new Date(Date.now() + advancedMs);
  const openNode = async (name: string) =>
    new SharedBlobStore(await DiskBlobStore.open(directory, `drafts/${name}`), database, now);
  const advanceTime = (ms: number) => {
    advancedMs += ms;
  };
  return {
    first: await openNode('first'),
    second: await openNode('second'),
    database,
    advanceTime,
  };
}

test('a blob that one node has stored is not removed by another one for an hour', async (t) => {
  const { first, second, database, advanceTime } = await openNodes(t);
  const ref = await storeBlob(first, 'hello');
  advanceTime(2 * HOUR_MS);
  // The same bytes again: a row may be about to reference them.
  await storeBlob(first, 'hello');
  assert.equal(await second.remove(ref), false);
  advanceTime(0.9 * HOUR_MS);
  assert.equal(await second.remove(ref), false);
  advanceTime(0.2 * HOUR_MS);
  assert.equal(await second.remove(ref, new Date(Date.now() - HOUR_MS)), false);
  assert.equal(await second.remove(ref), true);
  assert.deepEqual(await listRefs(first), []);
  await deleteEndedRetentions(database, new Date(Date.now() + 2 * HOUR_MS));
  const rows = await database.selectFrom('retained_blob').select('created_at').execute();
  assert.equal(rows.length, 1);
});

test('a node that stores a blob waits for one that is removing it', async (t) => {
  const { first, second, advanceTime } = await openNodes(t);
  const ref = await storeBlob(first, 'hello');
  for (let round = 0; round < 10; round += 1) {
    advanceTime(2 * HOUR_MS);
    await using draft = await first.createDraft(toChunks('hello'), { maxBytes: 100 });
    await Promise.all([draft.commit(), second.remove(ref)]);
    assert.deepEqual(await listRefs(second), [ref]);
  }
});
