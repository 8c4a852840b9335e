import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import {
  blobStoreContract,
  isProblem,
  listRefs,
  readBlob,
  storeBlob,
  toChunks,
} from './blob-store.contract.ts';
import { toBlobRef } from './blob-store.ts';
import { DiskBlobStore } from './disk-blob-store.ts';

blobStoreContract('disk blobs', async (t) => DiskBlobStore.open(await openTemporaryDirectory(t)));

test('what is kept is there after a restart', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const ref = await storeBlob(await DiskBlobStore.open(folder), 'hello');
  assert.equal(await readBlob(await DiskBlobStore.open(folder), ref), 'hello');
});

test('what a crash left half written is gone after a restart', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(folder);
  await blobs.createDraft(toChunks('never kept'), { maxBytes: 100 });
  await writeFile(join(folder, 'drafts', 'half'), 'half');
  assert.equal((await readdir(join(folder, 'drafts'))).length, 2);
  await DiskBlobStore.open(folder);
  assert.deepEqual(await readdir(join(folder, 'drafts')), []);
  assert.deepEqual(await listRefs(blobs), []);
});

test('a draft that fails leaves no file', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(folder);
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('hung up');
  }
  await assert.rejects(blobs.createDraft(broken(), { maxBytes: 100 }));
  await assert.rejects(
    blobs.createDraft(toChunks('12345'), { maxBytes: 4 }),
    isProblem('design.too-large'),
  );
  assert.deepEqual(await readdir(join(folder, 'drafts')), []);
});

for (const code of ['ENOSPC', 'EDQUOT']) {
  test(`${code} is for the operator to hear of, and leaves no file`, async (t) => {
    const folder = await openTemporaryDirectory(t);
    const blobs = await DiskBlobStore.open(folder);
    async function* full() {
      yield Buffer.from('half');
      throw Object.assign(new Error(`${code}: no room`), { code });
    }
    const failing = blobs.createDraft(full(), { maxBytes: 100 });
    await assert.rejects(failing, isProblem('server.storage-full'));
    assert.deepEqual(await readdir(join(folder, 'drafts')), []);
  });
}

test('only the service itself may read the files', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(folder);
  const ref = await storeBlob(blobs, 'hello');
  const { mode } = await stat(join(folder, 'kept', ref.slice(0, 2), ref));
  assert.equal(mode & 0o777, 0o600);
});

test('files of others in the folder are no blobs', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(folder);
  const ref = await storeBlob(blobs, 'hello');
  await mkdir(join(folder, 'kept', 'ff'));
  await writeFile(join(folder, 'kept', 'ff', 'README'), '');
  await writeFile(join(folder, 'kept', '.DS_Store'), '');
  assert.deepEqual(await listRefs(blobs), [ref]);
});

test('an address is 64 hexadecimal digits, and nothing that leads elsewhere', () => {
  const right = '0123456789abcdef'.repeat(4);
  assert.equal(toBlobRef(right), right);
  for (const wrong of ['', '..', right.toUpperCase(), right.slice(1), `${right}0`, `${right}\n`]) {
    assert.equal(toBlobRef(wrong), undefined, JSON.stringify(wrong));
  }
  assert.equal(toBlobRef(`../${right.slice(3)}`), undefined);
});
