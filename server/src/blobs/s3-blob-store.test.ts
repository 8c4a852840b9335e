import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { skipWithout } from '../../../scripts/optional-programs.ts';
import { createBucket } from '../../../scripts/radosgw/create-bucket.ts';
import { type RadosGateway, startRadosGateway } from '../../../scripts/radosgw/radosgw.ts';
import { readConfig } from '../config.ts';
import {
  blobStoreContract,
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
  let folder: string;
  let gateway: RadosGateway;
  let settings: S3Settings;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'radosgw-'));
    gateway = await startRadosGateway(folder);
    settings = readConfig(await createBucket(gateway, 'designs')).s3 ?? assert.fail();
  });

  after(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a store without blobs: each has a folder of its own in the bucket. */
  const openEmpty = async (t: TestContext, changes: Partial<S3Settings> = {}) => {
    const prefix = `${randomUUID()}/`;
    const directory = await openTemporaryDirectory(t);
    const blobs = await S3BlobStore.open({ ...settings, prefix, ...changes }, directory);
    t.after(() => blobs[Symbol.dispose]());
    return { blobs, prefix, directory };
  };

  blobStoreContract('S3BlobStore', async (t) => (await openEmpty(t)).blobs);

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
      using bucket = new S3Bucket({ ...settings, prefix });
      assert.deepEqual(await Array.fromAsync(bucket.listUploads()), []);
    });
  }

  it('lists the objects of all pages', async (t) => {
    const { blobs, prefix } = await openEmpty(t);
    for (const text of ['a', 'b', 'c', 'd', 'e']) await storeBlob(blobs, text);
    using bucket = new S3Bucket({ ...settings, prefix });
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
    const { endpoint, region, accessKeyId, secretAccessKey } = settings;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    t.after(() => client.destroy());
    const keys = ['a', 'b', 'c', 'd', 'd'];
    for (const key of keys) {
      const upload = { Bucket: settings.bucket, Key: prefix + key };
      await client.send(new CreateMultipartUploadCommand(upload));
    }
    using bucket = new S3Bucket({ ...settings, prefix });
    const uploads = await Array.fromAsync(bucket.listUploads(2));
    assert.deepEqual(uploads.map(({ key }) => key).sort(), keys);
    await bucket.deleteAbandonedUploads(new Date(0), 2);
    assert.equal((await Array.fromAsync(bucket.listUploads(2))).length, keys.length);
    await bucket.deleteAbandonedUploads(new Date(Date.now() + 3_600_000), 2);
    assert.deepEqual(await Array.fromAsync(bucket.listUploads(2)), []);
  });

  it('waits longer for the parts of a large file to be joined than for other responses', async (t) => {
    const slow = await openSlowProxy(t, new URL(settings.endpoint).port);
    const { blobs } = await openEmpty(t, { endpoint: slow.origin });
    const bytes = randomBytes(LARGE_BYTES);
    const ref = await storeBytes(blobs, bytes);
    assert.equal(slow.delayedCount, 1);
    assert.ok((await blobs.read(ref))?.equals(bytes));
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
    gateway.pause();
    t.after(() => gateway.resume());
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
    gateway.resume();
    assert.equal(await readBlob(blobs, ref), 'hello');
    await draft.commit();
    assert.equal(await readBlob(blobs, draft.ref), 'other');
  });

  it('ends a download whose server freezes before its last byte', async (t) => {
    const { blobs } = await openEmpty(t);
    const ref = await storeBytes(blobs, randomBytes(LARGE_BYTES));
    const stream = (await blobs.open(ref)) ?? assert.fail();
    await new Promise((resolve) => stream.once('readable', resolve));
    gateway.pause();
    t.after(() => gateway.resume());
    await assert.rejects(stream.toArray(), { name: 'TimeoutError' });
  });

  it('reports server.unavailable while the server does not run', async (t) => {
    const { blobs } = await openEmpty(t);
    const ref = await storeBlob(blobs, 'hello');
    await gateway.kill();
    try {
      await assert.rejects(blobs.read(ref), isUnavailable);
    } finally {
      await gateway.restart();
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
});

const isUnavailable = isProblem('server.unavailable');

/** The first word of a request. */
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
/** Longer than the limit of ordinary requests. */
const JOIN_MS = 4500;

/** A server in front of the S3 server, which takes long to answer the request that joins the parts of an upload. */
async function openSlowProxy(t: TestContext, port: string) {
  const proxy = { origin: '', delayedCount: 0 };
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    let isDelayed = false;
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('data', (bytes) => {
      const [method = '', path = ''] = bytes.toString('latin1', 0, 2000).split(' ', 2);
      // The rest of a request begins with none of them.
      if (METHODS.includes(method)) {
        isDelayed = method === 'POST' && /[?&]uploadId=/.test(path);
        if (isDelayed) proxy.delayedCount += 1;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (isDelayed) setTimeout(() => client.write(bytes), JOIN_MS);
      else client.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  proxy.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

async function* toBytes(bytes: Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes);
}

async function storeBytes(blobs: S3BlobStore, bytes: Buffer) {
  await using draft = await blobs.createDraft(toBytes(bytes), { maxBytes: bytes.length });
  await draft.commit();
  return draft.ref;
}
