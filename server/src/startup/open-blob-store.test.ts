import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { storeBlob } from '../blobs/blob-store.contract.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { openBlobStore } from './open-blob-store.ts';

const SOURCES = join(import.meta.dirname, '..');
const S3_SETTINGS = {
  endpoint: 'http://127.0.0.1:1',
  bucket: 'designs',
  prefix: '',
  region: 'us-east-1',
  accessKeyId: 'id',
  secretAccessKey: 'secret',
};

/** Loads a file of the service in a process of its own, and counts the modules of the S3 client that it loads. */
async function countS3Modules(file: string): Promise<number> {
  const script = `import { createRequire } from 'node:module';
    await import(${JSON.stringify(join(SOURCES, file))});
    const modules = Object.keys(createRequire(import.meta.url).cache);
    console.log(modules.filter((path) => /@aws-sdk|@smithy/.test(path)).length);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ]);
  return Number(stdout);
}

test('without a bucket, the service loads no module of the S3 client', async () => {
  assert.equal(await countS3Modules('serve.ts'), 0);
  assert.ok((await countS3Modules('blobs/s3-blob-store.ts')) > 0, 'the modules are recognized');
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
