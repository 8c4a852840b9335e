import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { sql } from 'kysely';
import { skipWithout } from '../../../scripts/optional-programs.ts';
import { useS3Server } from '../../testing/s3-server.ts';
import { migrate } from '../database/migrate.ts';
import { openSqlite } from '../database/sqlite.ts';
import { isStorageFull } from '../disk/disk-reserve.ts';
import { blobStoreContract, listRefs, readBlob, storeBlob } from './blob-store.contract.ts';
import { DiskBlobStore } from './disk-blob-store.ts';
import { lateRemovalsContract } from './late-removals.contract.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { S3Bucket } from './s3-bucket.ts';
import { SharedBlobStore } from './shared-blob-store.ts';

const NOW = new Date().toISOString();
const UNUSED = { isNeeded: async () => false };

/** Opens an empty database of SQLite, and a directory for the files. */
async function openDatabase(t: TestContext) {
  const directory = await openTemporaryDirectory(t);
  const database = openSqlite(join(directory, 'cloche.sqlite'));
  t.after(() => database.destroy());
  await migrate(database);
  return { database, directory: join(directory, 'blobs') };
}

blobStoreContract('SharedBlobStore with SQLite', async (t) => {
  const { database, directory } = await openDatabase(t);
  return new SharedBlobStore(await DiskBlobStore.open(directory), database, UNUSED);
});

test('on a full disk, a blob is not removed without its row, and removed later', async (t) => {
  const { database, directory } = await openDatabase(t);
  const blobs = new SharedBlobStore(await DiskBlobStore.open(directory), database, UNUSED);
  const ref = await storeBlob(blobs, 'hello');
  await sql`PRAGMA max_page_count = 1`.execute(database);
  const addRow = () => {
    const row = { id: randomUUID(), blob: '0'.repeat(64), generation: 0, created_at: NOW };
    return database.insertInto('blob_removal').values(row).execute();
  };
  const fill = async () => {
    for (;;) await addRow();
  };
  await assert.rejects(fill(), isStorageFull);
  assert.equal(await blobs.remove(ref), false);
  assert.equal(await readBlob(blobs, ref), 'hello');
  await sql`PRAGMA max_page_count = 100000`.execute(database);
  assert.equal(await blobs.remove(ref), true);
  assert.deepEqual(await listRefs(blobs), []);
});

describe('one process with SQLite and a bucket', { skip: skipWithout('radosgw') }, () => {
  const s3 = useS3Server();
  lateRemovalsContract(
    'SQLite',
    () => s3.settings.endpoint,
    async (t, endpoint) => {
      const { database, directory } = await openDatabase(t);
      const settings = { ...s3.settings, prefix: `${randomUUID()}/` };
      const inner = await S3BlobStore.open({ ...settings, endpoint }, directory);
      t.after(() => inner[Symbol.dispose]());
      const store = new SharedBlobStore(inner, database, UNUSED);
      const bucket = new S3Bucket(settings);
      t.after(() => bucket[Symbol.dispose]());
      const listKeys = async () =>
        (await Array.fromAsync(bucket.list('sha256/'))).map(({ key }) => key);
      // Blobs are retained until their drafts are disposed.
      return { remover: store, storer: store, database, listKeys, endRetention() {} };
    },
  );
});
