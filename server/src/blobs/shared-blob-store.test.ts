import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { sql } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import type { Database } from '../database/database.ts';
import { isProblem, listRefs, readBlob, storeBlob, toChunks } from './blob-store.contract.ts';
import type { Draft } from './blob-store.ts';
import { DiskBlobStore } from './disk-blob-store.ts';
import { deleteEndedRetentions, SharedBlobStore } from './shared-blob-store.ts';

const HOUR_MS = 60 * 60 * 1000;

const UNUSED = { isNeeded: async () => false };

const postgres = usePostgresNodes();

type TestNodes = {
  first: SharedBlobStore;
  second: SharedBlobStore;
  database: Database;
  directory: string;
  advanceTime(ms: number): void;
};

/** Opens one folder as two nodes would. */
async function openNodes(t: TestContext): Promise<TestNodes> {
  const [database] = await postgres.openNodes(t, 1);
  const directory = await openTemporaryDirectory(t);
  let advancedMs = 0;
  const readTime = async () => new Date(Date.now() + advancedMs);
  const openNode = async (name: string) =>
    new SharedBlobStore(await DiskBlobStore.open(directory, `drafts/${name}`), database, {
      ...UNUSED,
      readTime,
    });
  const advanceTime = (ms: number) => {
    advancedMs += ms;
  };
  return {
    first: await openNode('first'),
    second: await openNode('second'),
    database,
    directory,
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

test('a node whose clock is ahead does not remove a blob that another one has just stored', async (t) => {
  const { database, directory } = await openNodes(t);
  const openNode = async (name: string) =>
    new SharedBlobStore(await DiskBlobStore.open(directory, `drafts/${name}`), database, UNUSED);
  const [first, second] = [await openNode('third'), await openNode('fourth')];
  const ref = await storeBlob(first, 'hello');
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * HOUR_MS });
  assert.equal(await second.remove(ref), false);
});

test('a blob that a node stores while another one removes it can be read, and is removed later', async (t) => {
  const { first, second, database, advanceTime } = await openNodes(t);
  const ref = await storeBlob(first, 'hello');
  for (let round = 0; round < 10; round += 1) {
    advanceTime(2 * HOUR_MS);
    await using draft = await first.createDraft(toChunks('hello'), { maxBytes: 100 });
    await Promise.all([draft.commit(), second.remove(ref)]);
    assert.equal(await readBlob(second, ref), 'hello');
    assert.deepEqual(await listRefs(second), [ref]);
  }
  advanceTime(2 * HOUR_MS);
  assert.equal(await first.remove(ref), true);
  assert.deepEqual(await listRefs(second), []);
  const removals = await database.selectFrom('blob_removal').selectAll().execute();
  assert.deepEqual(removals, [], 'all of them have ended');
});

test('a blob is not removed if a row references it, whatever the caller has checked before', async (t) => {
  const { directory, database } = await openNodes(t);
  const inner = await DiskBlobStore.open(directory, 'drafts/other');
  const ref = await storeBlob(inner, 'hello');
  let isReferenced = true;
  const blobs = new SharedBlobStore(inner, database, { isNeeded: async () => isReferenced });
  assert.equal(await blobs.remove(ref), false);
  assert.equal(await readBlob(blobs, ref), 'hello');
  isReferenced = false;
  assert.equal(await blobs.remove(ref), true);
});

test('the row of a blob is refused if another node may have removed it meanwhile', async (t) => {
  const { first, second, database, advanceTime } = await openNodes(t);
  const assertRetained = (draft: Draft) =>
    database.transaction().execute((trx) => draft.assertRetained(trx));
  const ref = await storeBlob(first, 'hello');
  advanceTime(2 * HOUR_MS);
  await using draft = await first.createDraft(toChunks('hello'), { maxBytes: 100 });
  await draft.commit();
  advanceTime(0.9 * HOUR_MS);
  await assertRetained(draft);
  // The first node is suspended.
  advanceTime(0.2 * HOUR_MS);
  assert.equal(await second.remove(ref), true);
  await assert.rejects(assertRetained(draft), isProblem('server.unavailable'));
  // That another one stores the same bytes is not enough.
  await using other = await second.createDraft(toChunks('hello'), { maxBytes: 100 });
  await other.commit();
  await assert.rejects(assertRetained(draft), isProblem('server.unavailable'));
});

test('a blob is not removed before a transaction ends that adds its row', async (t) => {
  const { first, second, advanceTime, database } = await openNodes(t);
  await using draft = await first.createDraft(toChunks('hello'), { maxBytes: 100 });
  await draft.commit();
  let hasEnded = false;
  let removing: Promise<boolean> | undefined;
  await database.transaction().execute(async (trx) => {
    await draft.assertRetained(trx);
    advanceTime(2 * HOUR_MS);
    removing = second.remove(draft.ref).finally(() => assert.ok(hasEnded));
    await waitForLock(database);
    hasEnded = true;
  });
  assert.equal(await removing, true, 'no row was added');
});

/** Waits until a transaction waits for an advisory lock. */
async function waitForLock(database: Database): Promise<void> {
  await waitUntil('a waiting transaction', async () => {
    const { rows } = await sql`SELECT 1 FROM pg_locks
      WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(
      database,
    );
    return rows.length > 0;
  });
}
