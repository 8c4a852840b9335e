import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { DesignList } from '@cloche/contract/design';
import { openTestServer } from '../../testing/harness.ts';
import { addManyDesigns } from '../../testing/many-designs.ts';
import { issueToken, sendRequest } from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { DesignStore } from './design-store.ts';

const POSTER = { bytes: Buffer.from('poster'), width: 4, height: 3 };

async function openServerWithDesigns(t: TestContext, designCount: number) {
  const service = await openTestServer(t);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const blobs = await DiskBlobStore.open(join(service.dataDirectory, 'blobs'));
  await addManyDesigns({ database, blobs, designCount, blobCount: 5, posters: [POSTER] });
  const { token } = await issueToken(service, {
    capabilities: ['read'],
    origins: [],
    user: 'many',
  });
  return { service: { ...service, token }, database };
}

test('the designs of tests and benchmarks are complete, and none is damaged', async (t) => {
  const { service } = await openServerWithDesigns(t, 250);
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor && `&cursor=${cursor}`;
    const response = await sendRequest(service, 'GET', `/v1/designs?limit=100${next}`);
    const { items, unreadable, nextCursor }: DesignList = response.json();
    assert.deepEqual(unreadable, []);
    for (const { report, stats, poster } of items) assert.ok(report && stats && poster?.smallUrl);
    count += items.length;
    cursor = nextCursor;
  }
  assert.equal(count, 250);
});

test('a page of designs needs the same number of SQL statements for every size', async (t) => {
  const { database } = await openServerWithDesigns(t, 120);
  const { id: user } = await database
    .selectFrom('user')
    .select('id')
    .where('name', '=', 'many')
    .executeTakeFirstOrThrow();
  await database.updateTable('design').set({ status: 'failed' }).execute();
  await database
    .updateTable('revision')
    .set({ problem: '{"code":"design.unreadable","detail":"no model"}' })
    .execute();
  let statements = 0;
  const counted = database.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const designs = new DesignStore(counted);
  for (const limit of [2, 100]) {
    statements = 0;
    const { items, unreadable } = await designs.list({ user, onlyIds: undefined, limit });
    assert.deepEqual([items.length, unreadable, statements], [limit, [], 4], `${limit} designs`);
    assert.equal(items[0]?.problem?.detail, 'no model');
    assert.equal(items[0]?.revision?.artifacts.length, 4);
  }
});
