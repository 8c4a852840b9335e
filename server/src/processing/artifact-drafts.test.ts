import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { BlobStore, Draft } from '../blobs/blob-store.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import type { Transaction } from '../database/database.ts';
import { ArtifactDrafts } from './artifact-drafts.ts';

type Hooks = { onCreate?(): Promise<void>; onCommit?(draft: Draft): Promise<void> };

/** Opens the drafts of a revision, and lists what happens to them. */
async function openDrafts(t: TestContext, { onCreate, onCommit }: Hooks = {}) {
  const disk = await DiskBlobStore.open(await openTemporaryDirectory(t));
  const events: string[] = [];
  const createDraft: BlobStore['createDraft'] = async (...args) => {
    const draft = await disk.createDraft(...args);
    await onCreate?.();
    events.push('created');
    return {
      ...draft,
      async commit() {
        await onCommit?.(draft);
        events.push('committed');
      },
      async assertRetained() {
        events.push(draft.ref);
      },
      async [Symbol.asyncDispose]() {
        events.push('deleted');
        await draft[Symbol.asyncDispose]();
      },
    };
  };
  const drafts = new ArtifactDrafts({ createDraft } as Partial<BlobStore> as BlobStore);
  const add = (text: string) => drafts.add('model', Readable.from([Buffer.from(text)]));
  return { drafts, events, add };
}

test('nothing is deleted while a draft is being compressed', async (t) => {
  const released = Promise.withResolvers<void>();
  let createdCount = 0;
  const { drafts, events, add } = await openDrafts(t, {
    onCreate: async () => {
      createdCount += 1;
      if (createdCount > 1) await released.promise;
    },
  });
  await add('a leg, '.repeat(1000));
  void drafts.compress();
  const disposing = drafts[Symbol.asyncDispose]();
  released.resolve();
  await disposing;
  assert.deepEqual(events, ['created', 'created', 'deleted', 'deleted']);
});

test('drafts can be added while others are compressed', async (t) => {
  const { drafts, add } = await openDrafts(t);
  await using _ = drafts;
  await add('a leg, '.repeat(1000));
  const compressing = drafts.compress();
  await add('a seat, '.repeat(1000));
  await compressing;
  assert.deepEqual(
    drafts.artifacts.map(({ brotli }) => brotli !== undefined),
    [true, false],
  );
});

test('drafts are committed at the same time', async (t) => {
  const bothStarted = Promise.withResolvers<void>();
  let startedCount = 0;
  const { drafts, events, add } = await openDrafts(t, {
    async onCommit() {
      startedCount += 1;
      if (startedCount === 2) bothStarted.resolve();
      await bothStarted.promise;
    },
  });
  await using _ = drafts;
  await add('a leg');
  await add('a seat');
  await drafts.commit();
  assert.deepEqual(events.slice(-2), ['committed', 'committed']);
});

test('all files are checked in the order of their hashes, also those that were compressed', async (t) => {
  const { drafts, events, add } = await openDrafts(t);
  await using _ = drafts;
  for (const text of ['leg', 'seat', 'back', 'arm']) await add(`a ${text}, `.repeat(1000));
  await drafts.compress();
  await drafts.commit();
  events.length = 0;
  // The transaction is only passed on.
  await drafts.assertRetained({} as Transaction);
  const refs = drafts.artifacts.flatMap(({ blob, brotli }) => [blob, brotli?.blob]);
  assert.equal(refs.length, 8);
  assert.deepEqual(events, refs.toSorted());
});

test('if one cannot be committed, the error follows after the end of the others', async (t) => {
  let startedCount = 0;
  const { drafts, events, add } = await openDrafts(t, {
    async onCommit() {
      startedCount += 1;
      if (startedCount === 1) throw new Error('The disk is full.');
      await nextTurn();
    },
  });
  await using _ = drafts;
  await add('a leg');
  await add('a seat');
  await assert.rejects(drafts.commit(), /The disk is full/);
  assert.equal(events.at(-1), 'committed');
});
