import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { skipWithout } from '../../../scripts/optional-programs.ts';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openS3Proxy } from '../../testing/s3-proxy.ts';
import { useS3Server } from '../../testing/s3-server.ts';
import {
  blobStoreContract,
  fileBlobStoreContract,
  isProblem,
  listRefs,
  readBlob,
  storeBlob,
  toChunks,
} from './blob-store.contract.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { S3Bucket } from './s3-bucket.ts';
import type { S3Settings } from './s3-settings.ts';

const LARGE_BYTES = 20 * 1024 ** 2;
const MISSING_BUCKET = 'missing-bucket';

describe('S3BlobStore', { skip: skipWithout('radosgw') }, () => {
  const s3 = useS3Server();

  /** Opens a store without blobs: each has a folder of its own in the bucket. */
  const openEmpty = async (t: TestContext, changes: Partial<S3Settings> = {}) => {
    const prefix = `${randomUUID()}/`;
    const directory = await openTemporaryDirectory(t);
    const blobs = await S3BlobStore.open({ ...s3.settings, prefix, ...changes }, directory);
    t.after(() => blobs[Symbol.dispose]());
    return { blobs, prefix, directory };
  };

  blobStoreContract('S3BlobStore', async (t) => (await openEmpty(t)).blobs);
  fileBlobStoreContract('S3BlobStore', async (t) => (await openEmpty(t)).blobs);

  it('stores a large file in parts, and returns it whole and by range', async (t) => {
    const { blobs } = await openEmpty(t);
    const bytes = randomBytes(LARGE_BYTES);
    const ref = await storeBytes(blobs, bytes);
    assert.ok((await blobs.read(ref))?.equals(bytes));
    const range = { start: LARGE_BYTES / 2 - 3, end: LARGE_BYTES / 2 + 3 };
    const stream = (await blobs.open(ref, range)) ?? assert.fail();
    const chunks = await stream.toArray();
    assert.ok(Buffer.concat(chunks).equals(bytes.subarray(range.start, range.end + 1)));
    assert.equal(await storeBytes(blobs, bytes), ref);
    assert.deepEqual(await listRefs(blobs), [ref]);
  });

  for (const size of [1000, LARGE_BYTES]) {
    it(`stores nothing if a draft of ${size} bytes was changed after it was received`, async (t) => {
      const { blobs, prefix } = await openEmpty(t);
      const bytes = randomBytes(size);
      await using draft = await blobs.createDraft(toBytes(bytes), { maxBytes: size });
      bytes[size - 1] = (bytes[size - 1] ?? 0) ^ 1;
      await writeFile(draft.path, bytes);
      await assert.rejects(draft.commit());
      assert.deepEqual(await listRefs(blobs), []);
      using bucket = new S3Bucket({ ...s3.settings, prefix });
      await waitUntil('the parts to be deleted', async () => {
        const uploads = await Array.fromAsync(bucket.listUploads());
        return uploads.length === 0;
      });
    });
  }

  it('lists the objects of all pages', async (t) => {
    const { blobs, prefix } = await openEmpty(t);
    for (const text of ['a', 'b', 'c', 'd', 'e']) await storeBlob(blobs, text);
    using bucket = new S3Bucket({ ...s3.settings, prefix });
    const keys: string[] = [];
    for await (const { key } of bucket.list('sha256/', 2)) keys.push(key);
    const refs = await listRefs(blobs);
    assert.deepEqual(
      keys,
      refs.map((ref) => `sha256/${ref.slice(0, 2)}/${ref}`),
    );
  });

  it('lists the unfinished uploads of all pages, and deletes the old ones', async (t) => {
    const { prefix } = await openEmpty(t);
    const { endpoint, region, accessKeyId, secretAccessKey } = s3.settings;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    t.after(() => client.destroy());
    const keys = ['a', 'b', 'c', 'd', 'd'];
    for (const key of keys) {
      const upload = { Bucket: s3.settings.bucket, Key: prefix + key };
      await client.send(new CreateMultipartUploadCommand(upload));
    }
    using bucket = new S3Bucket({ ...s3.settings, prefix });
    const uploads = await Array.fromAsync(bucket.listUploads(2));
    assert.deepEqual(uploads.map(({ key }) => key).sort(), keys);
    await bucket.deleteAbandonedUploads(new Date(0), 2);
    assert.equal((await Array.fromAsync(bucket.listUploads(2))).length, keys.length);
    await bucket.deleteAbandonedUploads(new Date(Date.now() + 3_600_000), 2);
    assert.deepEqual(await Array.fromAsync(bucket.listUploads(2)), []);
  });

  it('keeps a blob that is stored again while it is removed', async (t) => {
    const { blobs } = await openEmpty(t);
    for (let round = 0; round < 20; round += 1) {
      const ref = await storeBlob(blobs, 'again');
      const removing = blobs.remove(ref);
      await using draft = await blobs.createDraft(toChunks('again'), { maxBytes: 100 });
      await Promise.all([removing, draft.commit()]);
      assert.equal(await readBlob(blobs, ref), 'again');
    }
  });

  it('copies a blob to a new file, and leaves no file if there is no such blob', async (t) => {
    const { blobs, directory } = await openEmpty(t);
    const ref = await storeBlob(blobs, 'hello');
    const path = join(directory, 'copy');
    assert.equal(await blobs.copyToFile(ref, path), true);
    assert.equal(await readFile(path, 'utf8'), 'hello');
    await blobs.remove(ref);
    assert.equal(await blobs.copyToFile(ref, join(directory, 'other')), false);
    assert.equal((await readdir(directory)).includes('other'), false);
  });

  it('reports server.unavailable while the server is frozen, and works when it continues', async (t) => {
    const { blobs, directory } = await openEmpty(t);
    const ref = await storeBlob(blobs, 'hello');
    await using draft = await blobs.createDraft(toChunks('other'), { maxBytes: 100 });
    s3.gateway.pause();
    t.after(() => s3.gateway.resume());
    // The server does not continue before these have ended.
    await Promise.all(
      [
        blobs.open(ref),
        blobs.read(ref),
        blobs.copyToFile(ref, join(directory, 'copy')),
        blobs.remove(ref),
        draft.commit(),
        listRefs(blobs),
      ].map((operation) => assert.rejects(operation, isUnavailable)),
    );
    s3.gateway.resume();
    assert.equal(await readBlob(blobs, ref), 'hello');
    await draft.commit();
    assert.equal(await readBlob(blobs, draft.ref), 'other');
  });

  it('ends a download whose server freezes before its last byte', async (t) => {
    const { blobs } = await openEmpty(t);
    const ref = await storeBytes(blobs, randomBytes(LARGE_BYTES));
    const stream = (await blobs.open(ref)) ?? assert.fail();
    await new Promise((resolve) => stream.once('readable', resolve));
    s3.gateway.pause();
    t.after(() => s3.gateway.resume());
    await assert.rejects(stream.toArray(), { name: 'TimeoutError' });
  });

  it('reports server.unavailable while the server does not run', async (t) => {
    const { blobs } = await openEmpty(t);
    const ref = await storeBlob(blobs, 'hello');
    await s3.gateway.kill();
    try {
      await assert.rejects(blobs.read(ref), isUnavailable);
    } finally {
      await s3.gateway.restart();
    }
    assert.equal(await readBlob(blobs, ref), 'hello');
  });

  const accessCases: [name: string, changes: Partial<S3Settings>, message: RegExp][] = [
    ['a bucket that does not exist', { bucket: MISSING_BUCKET }, /CLOCHE_S3_URL.*does not exist/],
    ['an unknown key', { accessKeyId: 'unknown' }, /CLOCHE_S3_KEY/],
    ['a wrong secret', { secretAccessKey: 'wrong' }, /CLOCHE_S3_SECRET/],
    ['a port without a server', { endpoint: 'http://127.0.0.1:1' }, /No S3 server responds at/],
  ];
  for (const [name, changes, message] of accessCases) {
    it(`refuses to open ${name}`, async (t) => {
      await assert.rejects(openEmpty(t, changes), { name: 'S3AccessError', message });
    });
  }

  for (const method of ['PUT', 'GET', 'DELETE'])
    it(`refuses to open a bucket whose key may not ${method} objects`, async (t) => {
      const proxy = await openS3Proxy(t, s3.settings.endpoint, (request) =>
        // A list is a GET of the bucket itself.
        request.method === method && request.path.includes('/write-check') ? 'refuse' : 0,
      );
      const message = /must be able to list, read, write and delete objects/;
      const opening = openEmpty(t, { endpoint: proxy.origin });
      await assert.rejects(opening, { name: 'S3AccessError', message });
    });
});

const isUnavailable = isProblem('server.unavailable');

async function* toBytes(bytes: Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes);
}

async function storeBytes(blobs: S3BlobStore, bytes: Buffer) {
  await using draft = await blobs.createDraft(toBytes(bytes), { maxBytes: bytes.length });
  await draft.commit();
  return draft.ref;
}
