import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { countLoadedModules } from '../../testing/count-loaded-modules.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import { storeBlob } from '../blobs/blob-store.contract.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { createInitialUser } from './bootstrap-token.ts';
import { assertNoBlobsOfOtherDatabase, openBlobStore } from './open-blob-store.ts';

const S3_MODULES = /@aws-sdk|@smithy/;
const S3_SETTINGS = {
  endpoint: 'http://127.0.0.1:1',
  bucket: 'designs',
  prefix: '',
  region: 'us-east-1',
  accessKeyId: 'id',
  secretAccessKey: 'secret',
};

test('without a bucket, the service loads no module of the S3 client', async () => {
  assert.equal(await countLoadedModules('serve.ts', S3_MODULES), 0);
  assert.ok((await countLoadedModules('blobs/s3-blob-store.ts', S3_MODULES)) > 0);
});

test('the start fails if files of designs are in the data directory and a bucket is set', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await storeBlob(await DiskBlobStore.open(join(directory, 'blobs')), 'hello');
  await assert.rejects(openBlobStore(directory, S3_SETTINGS), {
    name: 'ConfigError',
    message: /CLOCHE_S3_URL is set, but ".*blobs" contains files of designs/,
  });
});

test('the start fails if no server responds, and names the setting', async (t) => {
  await assert.rejects(openBlobStore(await openTemporaryDirectory(t), S3_SETTINGS), {
    name: 'ConfigError',
    message:
      /^No S3 server responds at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)\. Check CLOCHE_S3_URL/,
  });
});

test('the start fails if there are files of designs and the database is new: they would be deleted', async (t) => {
  const blobs = await DiskBlobStore.open(await openTemporaryDirectory(t));
  const database = await openTestDatabase(t);
  await assertNoBlobsOfOtherDatabase(database, blobs);
  await storeBlob(blobs, 'hello');
  await assert.rejects(assertNoBlobsOfOtherDatabase(database, blobs), {
    name: 'ConfigError',
    message: /^The database is new, but there are files of designs.*Set CLOCHE_DATABASE_URL/,
  });
  await createInitialUser(database, new Date(), async () => {});
  await assertNoBlobsOfOtherDatabase(database, blobs);
});
