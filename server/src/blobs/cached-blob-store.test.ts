import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { blobStoreContract, storeBlob } from './blob-store.contract.ts';
import { CachedBlobStore } from './cached-blob-store.ts';
import { DiskBlobStore } from './disk-blob-store.ts';

blobStoreContract(
  'CachedBlobStore',
  async (t) => new CachedBlobStore(await DiskBlobStore.open(await openTemporaryDirectory(t))),
);

async function openStores(t: TestContext, options?: { maxBytes: number }) {
  const inner = await DiskBlobStore.open(await openTemporaryDirectory(t));
  const { mock: reads } = t.mock.method(inner, 'read');
  return { inner, reads, blobs: new CachedBlobStore(inner, options) };
}

test('a blob is read once from the inner store', async (t) => {
  const { reads, blobs } = await openStores(t);
  for (const text of ['', 'hello']) {
    reads.resetCalls();
    const ref = await storeBlob(blobs, text);
    const bytes = await blobs.read(ref);
    assert.equal(bytes?.toString(), text);
    assert.equal(await blobs.read(ref), bytes, 'the same object, so that it can be a key');
    assert.equal(reads.callCount(), 1);
  }
});

test('a blob that does not exist is not cached', async (t) => {
  const { inner, blobs } = await openStores(t);
  const ref = await storeBlob(blobs, 'hello');
  await inner.remove(ref);
  assert.equal(await blobs.read(ref), undefined);
  await storeBlob(inner, 'hello');
  assert.equal((await blobs.read(ref))?.toString(), 'hello');
});

test('a removed blob is not returned from the cache', async (t) => {
  const { blobs } = await openStores(t);
  const ref = await storeBlob(blobs, 'hello');
  await blobs.read(ref);
  assert.equal(await blobs.remove(ref), true);
  assert.equal(await blobs.read(ref), undefined);
});

test('a blob that is removed while it is read is not cached', async (t) => {
  const { blobs } = await openStores(t);
  const ref = await storeBlob(blobs, 'hello');
  const reading = blobs.read(ref);
  await blobs.remove(ref);
  await reading;
  assert.equal(await blobs.read(ref), undefined);
});

test('the least recently read blobs are evicted when the cache is full', async (t) => {
  const { reads, blobs } = await openStores(t, { maxBytes: 10 });
  const a = await storeBlob(blobs, 'aaaa');
  const b = await storeBlob(blobs, 'bbbb');
  const c = await storeBlob(blobs, 'cccc');
  for (const ref of [a, b, a, c]) await blobs.read(ref);
  reads.resetCalls();
  await blobs.read(a);
  await blobs.read(c);
  assert.equal(reads.callCount(), 0);
  await blobs.read(b);
  assert.equal(reads.callCount(), 1);
});

test('a blob larger than the cache is returned but not cached', async (t) => {
  const { reads, blobs } = await openStores(t, { maxBytes: 3 });
  const ref = await storeBlob(blobs, 'hello');
  for (let count = 0; count < 2; count += 1) {
    assert.equal((await blobs.read(ref))?.toString(), 'hello');
  }
  assert.equal(reads.callCount(), 2);
});
