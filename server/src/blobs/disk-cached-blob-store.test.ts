import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { mountTmpfs } from '../../testing/small-disk.ts';
import {
  blobStoreContract,
  fileBlobStoreContract,
  isProblem,
  readBlob,
  storeBlob,
  toChunks,
} from './blob-store.contract.ts';
import type { BlobDownload, BlobRange, BlobRef, RemoteBlobStore } from './blob-store.ts';
import { DiskBlobStore } from './disk-blob-store.ts';
import { DiskCachedBlobStore } from './disk-cached-blob-store.ts';

const LARGE_BYTES = 3_000_000;
const CHUNK_BYTES = 100_000;
/** That of a mounted tmpfs. */
const DISK_BYTES = 24 * 1024 ** 2;

/** A store whose downloads the test controls. It counts the times that blobs are read. */
class FakeRemoteStore {
  readonly disk: DiskBlobStore;
  downloadCount = 0;
  openCount = 0;
  /** The download sends so many chunks, then waits for `resume`. */
  pauseAfter = Number.POSITIVE_INFINITY;
  #resumed = Promise.withResolvers<void>();
  /** Changes the bytes of downloads. */
  change = (chunk: Buffer) => chunk;

  constructor(disk: DiskBlobStore) {
    this.disk = disk;
  }

  resume(): void {
    this.#resumed.resolve();
  }

  toStore(): RemoteBlobStore {
    const { disk } = this;
    return {
      createDraft: (bytes, options) => disk.createDraft(bytes, options),
      read: (ref) => disk.read(ref),
      remove: (ref, storedBefore) => disk.remove(ref, storedBefore),
      copyToFile: (ref, path) => disk.copyToFile(ref, path),
      list: () => disk.list(),
      findFiles: (ref) => disk.findFiles(ref),
      removeFile: (ref, generation) => disk.removeFile(ref, generation),
      open: (ref: BlobRef, range?: BlobRange) => {
        this.openCount += 1;
        return disk.open(ref, range);
      },
      download: async (ref): Promise<BlobDownload | undefined> => {
        this.downloadCount += 1;
        const bytes = await disk.read(ref);
        return bytes && { bytes: Readable.from(this.#send(bytes)), sizeBytes: bytes.length };
      },
    };
  }

  async *#send(bytes: Buffer): AsyncGenerator<Buffer> {
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      if (start / CHUNK_BYTES === this.pauseAfter) await this.#resumed.promise;
      yield this.change(bytes.subarray(start, start + CHUNK_BYTES));
    }
  }
}

type Options = { maxBytes?: number; minFreeBytes?: number; directory?: string };

async function openCache(t: TestContext, options: Options = {}) {
  const remote = new FakeRemoteStore(await DiskBlobStore.open(await openTemporaryDirectory(t)));
  const {
    directory = join(await openTemporaryDirectory(t), 'cache'),
    maxBytes = 100e6,
    minFreeBytes = 0,
  } = options;
  const reopen = async () => {
    const opened = await DiskCachedBlobStore.open(remote.toStore(), {
      directory,
      maxBytes,
      minFreeBytes,
    });
    t.after(() => opened[Symbol.asyncDispose]());
    return opened;
  };
  const blobs = await reopen();
  /** Waits until what was read is in the cache. */
  const settle = () => blobs[Symbol.asyncDispose]();
  const listCached = async () => (await readdir(directory)).map((name) => name.slice(0, 64)).sort();
  return { remote, blobs, directory, settle, reopen, listCached };
}

async function storeLarge(remote: FakeRemoteStore, sizeBytes = LARGE_BYTES) {
  const bytes = randomBytes(sizeBytes);
  const source = (async function* () {
    yield bytes;
  })();
  await using draft = await remote.disk.createDraft(source, { maxBytes: sizeBytes });
  await draft.commit();
  return { ref: draft.ref, bytes };
}

async function openAll(blobs: DiskCachedBlobStore, ref: BlobRef): Promise<Buffer> {
  return buffer((await blobs.open(ref)) ?? assert.fail('not found'));
}

blobStoreContract('DiskCachedBlobStore', async (t) => (await openCache(t)).blobs);
fileBlobStoreContract('DiskCachedBlobStore', async (t) => (await openCache(t)).blobs);

test('a blob is downloaded once, also for the readers of the next run', async (t) => {
  const { remote, blobs, settle, reopen } = await openCache(t);
  const { ref, bytes } = await storeLarge(remote);
  assert.ok((await openAll(blobs, ref)).equals(bytes));
  await settle();
  assert.ok((await openAll(blobs, ref)).equals(bytes));
  const restarted = await reopen();
  assert.ok((await openAll(restarted, ref)).equals(bytes));
  assert.ok((await restarted.read(ref))?.equals(bytes));
  const stream = (await restarted.open(ref, { start: 5, end: 9 })) ?? assert.fail();
  assert.ok((await buffer(stream)).equals(bytes.subarray(5, 10)));
  assert.deepEqual([remote.downloadCount, remote.openCount], [1, 0]);
});

test('reads are counted as hits and misses, also after files were deleted by hand', async (t) => {
  const { remote, blobs, settle, directory } = await openCache(t);
  const { ref, bytes } = await storeLarge(remote);
  const read = () => blobs.caches.blobFiles?.readStatistics();
  await openAll(blobs, ref);
  await settle();
  assert.deepEqual(read(), { hits: 0, misses: 1, entries: 1, sizeBytes: bytes.length });
  await blobs.read(ref);
  await openAll(blobs, ref);
  assert.deepEqual(read(), { hits: 2, misses: 1, entries: 1, sizeBytes: bytes.length });
  for (const name of await readdir(directory)) await rm(join(directory, name));
  await openAll(blobs, ref);
  assert.deepEqual([read()?.hits, read()?.misses], [2, 2]);
});

test('a blob that is read as a whole is cached, too', async (t) => {
  const { remote, blobs, settle, listCached } = await openCache(t);
  const ref = await storeBlob(remote.disk, 'hello');
  assert.equal((await blobs.read(ref))?.toString(), 'hello');
  await settle();
  assert.deepEqual(await listCached(), [ref]);
  await remote.disk.remove(ref);
  assert.equal((await blobs.read(ref))?.toString(), 'hello');
});

test('readers of one download get the bytes before its end, each at its own speed', async (t) => {
  const { remote, blobs } = await openCache(t);
  const { ref, bytes } = await storeLarge(remote);
  remote.pauseAfter = 20;
  const early = (await blobs.open(ref)) ?? assert.fail();
  let received = 0;
  for await (const chunk of early.iterator({ destroyOnReturn: false })) {
    received += (chunk as Buffer).length;
    if (received >= 20 * CHUNK_BYTES) break;
  }
  const late = (await blobs.open(ref)) ?? assert.fail();
  // Reads nothing before the download has ended.
  const slow = (await blobs.open(ref)) ?? assert.fail();
  remote.resume();
  assert.ok((await buffer(late)).equals(bytes));
  assert.ok((await buffer(slow)).equals(bytes));
  assert.equal(received + (await buffer(early)).length, bytes.length);
  assert.equal(remote.downloadCount, 1);
});

test('a reader that goes away does not end the download', async (t) => {
  const { remote, blobs, settle, listCached } = await openCache(t);
  const { ref } = await storeLarge(remote);
  remote.pauseAfter = 1;
  const stream = (await blobs.open(ref)) ?? assert.fail();
  await new Promise((resolve) => stream.once('data', resolve));
  stream.destroy();
  remote.resume();
  await settle();
  assert.deepEqual(await listCached(), [ref]);
});

test('bytes that do not have the SHA-256 do not end well, and are not cached', async (t) => {
  const { remote, blobs, settle, listCached } = await openCache(t);
  const { ref } = await storeLarge(remote);
  remote.change = (chunk) => Buffer.alloc(chunk.length);
  await assert.rejects(openAll(blobs, ref), /SHA-256/);
  await settle();
  assert.deepEqual(await listCached(), []);
});

test('a download that fails is not cached, and the next reader begins a new one', async (t) => {
  const { remote, blobs, listCached, settle } = await openCache(t);
  const { ref, bytes } = await storeLarge(remote);
  let count = 0;
  remote.change = (chunk) => {
    count += 1;
    if (count === 3) throw new Error('The connection was closed.');
    return chunk;
  };
  await assert.rejects(openAll(blobs, ref), /connection/);
  await settle();
  assert.deepEqual(await listCached(), []);
  assert.ok((await openAll(blobs, ref)).equals(bytes));
});

test('files that a crash left incomplete are deleted at the next start', async (t) => {
  const { remote, directory, reopen, listCached } = await openCache(t);
  const { ref, bytes } = await storeLarge(remote);
  await writeFile(join(directory, `${ref}.00000000-0000-0000-0000-000000000000.new`), 'half');
  const restarted = await reopen();
  assert.deepEqual(await listCached(), []);
  assert.ok((await openAll(restarted, ref)).equals(bytes));
});

test('the least recently used blobs are deleted when the cache is full', async (t) => {
  const { remote, blobs, settle, listCached } = await openCache(t, { maxBytes: 3 * LARGE_BYTES });
  const refs: BlobRef[] = [];
  for (let count = 0; count < 4; count += 1) refs.push((await storeLarge(remote)).ref);
  const [a, b, c, d] = refs as [BlobRef, BlobRef, BlobRef, BlobRef];
  for (const ref of [a, b, c, a, d]) {
    await openAll(blobs, ref);
    await settle();
  }
  const expected = [a, c, d].sort();
  // The file of an evicted blob is deleted later.
  await waitUntil('the file to be deleted', async () => (await listCached()).length === 3);
  assert.deepEqual(await listCached(), expected);
});

test('a blob larger than the cache, and every one while space is low, is read without the cache', async (t) => {
  const cases = [{ maxBytes: LARGE_BYTES - 1 }, { minFreeBytes: Number.MAX_SAFE_INTEGER }];
  for (const options of cases) {
    const { remote, blobs, settle, listCached } = await openCache(t, options);
    const { ref, bytes } = await storeLarge(remote);
    const [first, second] = await Promise.all([openAll(blobs, ref), openAll(blobs, ref)]);
    assert.ok(first.equals(bytes) && second.equals(bytes));
    await settle();
    assert.deepEqual(await listCached(), []);
  }
});

test('a file that was deleted or cannot be read does not fail the reader', async (t) => {
  const { remote, blobs, directory, settle } = await openCache(t);
  const { ref, bytes } = await storeLarge(remote);
  await openAll(blobs, ref);
  await settle();
  await rm(directory, { recursive: true });
  assert.ok((await openAll(blobs, ref)).equals(bytes));
});

test('a reader whose file is damaged during the download gets the rest from the other machine', async (t) => {
  const { remote, blobs, directory } = await openCache(t);
  const { ref, bytes } = await storeLarge(remote);
  remote.pauseAfter = 20;
  const early = (await blobs.open(ref)) ?? assert.fail();
  const slow = (await blobs.open(ref)) ?? assert.fail();
  let received = 0;
  for await (const chunk of early) {
    received += (chunk as Buffer).length;
    if (received >= 20 * CHUNK_BYTES) break;
  }
  const [name = ''] = await readdir(directory);
  await truncate(join(directory, name), 1000);
  assert.ok((await buffer(slow)).equals(bytes));
  assert.ok(remote.openCount > 0);
  remote.resume();
});

test('a full disk: readers get all bytes, and drafts the space of the cache', async (t) => {
  const disk = await mountTmpfs(t);
  if (disk === undefined) return;
  const { remote, blobs, settle, listCached } = await openCache(t, { directory: disk });
  const first = await storeLarge(remote, DISK_BYTES * 0.7);
  const second = await storeLarge(remote, DISK_BYTES * 0.7);
  await openAll(blobs, first.ref);
  await settle();
  assert.deepEqual(await listCached(), [first.ref]);
  assert.ok((await openAll(blobs, second.ref)).equals(second.bytes));
  await settle();
  await waitUntil('the files to be deleted', async () => (await listCached()).length === 0);
});

test('a folder that was deleted, and a file that cannot be read, fail neither readers nor drafts', async (t) => {
  const { remote, blobs, directory, settle } = await openCache(t);
  const { ref, bytes } = await storeLarge(remote);
  await openAll(blobs, ref);
  await settle();
  const [name = assert.fail('not cached')] = await readdir(directory);
  await rm(join(directory, name));
  await mkdir(join(directory, name));
  assert.ok((await blobs.read(ref))?.equals(bytes));
  await settle();
  await rm(directory, { recursive: true });
  assert.ok((await openAll(blobs, ref)).equals(bytes));
  const stored = await storeBlob(blobs, 'hello');
  assert.equal((await blobs.read(stored))?.toString(), 'hello');
});

test('a folder that was deleted is created again by the next download', async (t) => {
  const { remote, blobs, directory, settle, listCached } = await openCache(t);
  const first = await storeLarge(remote);
  await openAll(blobs, first.ref);
  await settle();
  await rm(directory, { recursive: true });
  const second = await storeLarge(remote);
  await openAll(blobs, second.ref);
  await settle();
  assert.deepEqual(await listCached(), [second.ref]);
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  await openAll(blobs, first.ref);
  await settle();
  assert.deepEqual(await listCached(), [first.ref, second.ref].sort());
  assert.ok((await openAll(blobs, first.ref)).equals(first.bytes));
  assert.equal(remote.downloadCount, 3);
});

test('an upload that does not fit gets the space of the cache', async (t) => {
  const { remote, blobs, settle, listCached } = await openCache(t);
  const { ref } = await storeLarge(remote);
  await openAll(blobs, ref);
  await settle();
  t.mock.method(remote.disk, 'createDraft', async () => {
    throw new Problem('server.storage-full');
  });
  const creating = blobs.createDraft(toChunks('hello'), { maxBytes: 100 });
  await assert.rejects(creating, isProblem('server.storage-full'));
  await waitUntil('the file to be deleted', async () => (await listCached()).length === 0);
});

test('an error of the other machine is that of all readers that wait for it', async (t) => {
  const { remote, blobs } = await openCache(t);
  const ref = await storeBlob(remote.disk, 'hello');
  const { mock } = t.mock.method(remote.disk, 'read', async () => {
    throw new Problem('server.unavailable');
  });
  const opening = [blobs.open(ref), blobs.open(ref)];
  for (const reader of opening) await assert.rejects(reader, isProblem('server.unavailable'));
  assert.equal(mock.callCount(), 1);
  mock.restore();
  assert.equal(await readBlob(blobs, ref), 'hello');
});
