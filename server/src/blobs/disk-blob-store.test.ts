import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { PowerFailureSimulator } from '../../testing/power-failure.ts';
import {
  blobStoreContract,
  fileBlobStoreContract,
  isProblem,
  listRefs,
  readBlob,
  storeBlob,
  toChunks,
} from './blob-store.contract.ts';
import { toBlobRef } from './blob-store.ts';
import { DiskBlobStore } from './disk-blob-store.ts';

const openEmpty = async (t: TestContext) => DiskBlobStore.open(await openTemporaryDirectory(t));
blobStoreContract('DiskBlobStore', openEmpty);
fileBlobStoreContract('DiskBlobStore', openEmpty);

test('a committed blob can be read after a restart', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const ref = await storeBlob(await DiskBlobStore.open(directory), 'hello');
  assert.equal(await readBlob(await DiskBlobStore.open(directory), ref), 'hello');
});

for (const survivingNames of ['synced', 'current'] as const) {
  test(`a committed blob survives a power failure, after which the ${survivingNames} names survive`, async (t) => {
    const parent = await openTemporaryDirectory(t);
    const simulator = await PowerFailureSimulator.start(t, parent);
    const blobs = await DiskBlobStore.open(join(parent, 'blobs'));
    const ref = await storeBlob(blobs, 'hello');
    const target = await openTemporaryDirectory(t);
    simulator.restore(target, survivingNames);
    const restarted = await DiskBlobStore.open(join(target, 'blobs'));
    assert.equal(await readBlob(restarted, ref), 'hello');
  });
}

test('drafts left by a crash are deleted at the next start', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(directory);
  await blobs.createDraft(toChunks('never committed'), { maxBytes: 100 });
  await writeFile(join(directory, 'drafts', 'half'), 'half');
  assert.equal((await readdir(join(directory, 'drafts'))).length, 2);
  await DiskBlobStore.open(directory);
  assert.deepEqual(await readdir(join(directory, 'drafts')), []);
  assert.deepEqual(await listRefs(blobs), []);
});

test('a draft that fails leaves no file', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(directory);
  async function* failing() {
    yield Buffer.from('half');
    throw new Error('connection closed');
  }
  await assert.rejects(blobs.createDraft(failing(), { maxBytes: 100 }));
  await assert.rejects(
    blobs.createDraft(toChunks('12345'), { maxBytes: 4 }),
    isProblem('design.too-large'),
  );
  assert.deepEqual(await readdir(join(directory, 'drafts')), []);
});

for (const code of ['ENOSPC', 'EDQUOT']) {
  test(`${code} becomes server.storage-full, and leaves no file`, async (t) => {
    const directory = await openTemporaryDirectory(t);
    const blobs = await DiskBlobStore.open(directory);
    async function* fillDisk() {
      yield Buffer.from('half');
      throw Object.assign(new Error(`${code}: no space left`), { code });
    }
    const creating = blobs.createDraft(fillDisk(), { maxBytes: 100 });
    await assert.rejects(creating, isProblem('server.storage-full'));
    assert.deepEqual(await readdir(join(directory, 'drafts')), []);
  });
}

test('only the user of the service can read the files', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(directory);
  const ref = await storeBlob(blobs, 'hello');
  const { mode } = await stat(join(directory, 'sha256', ref.slice(0, 2), ref));
  assert.equal(mode & 0o777, 0o600);
});

test('other files in the directory are not listed as blobs', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(directory);
  const ref = await storeBlob(blobs, 'hello');
  await mkdir(join(directory, 'sha256', 'ff'));
  await writeFile(join(directory, 'sha256', 'ff', 'README'), '');
  await writeFile(join(directory, 'sha256', '.DS_Store'), '');
  assert.deepEqual(await listRefs(blobs), [ref]);
});

test('toBlobRef accepts 64 lower-case hexadecimal digits only', () => {
  const valid = '0123456789abcdef'.repeat(4);
  assert.equal(toBlobRef(valid), valid);
  const invalid = ['', '..', valid.toUpperCase(), valid.slice(1), `${valid}0`, `${valid}\n`];
  for (const text of [...invalid, `../${valid.slice(3)}`]) {
    assert.equal(toBlobRef(text), undefined, JSON.stringify(text));
  }
});
