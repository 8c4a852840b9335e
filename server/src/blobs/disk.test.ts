import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolder } from '../../testing/ground.ts';
import { blobsContract, chunks, isProblem, keep, read, refs } from './blobs.contract.ts';
import { asBlobRef } from './blobs.ts';
import { DiskBlobs } from './disk.ts';

blobsContract('disk blobs', async (t) => DiskBlobs.open(await openFolder(t)));

test('what is kept is there after a restart', async (t) => {
  const folder = await openFolder(t);
  const ref = await keep(await DiskBlobs.open(folder), 'hello');
  assert.equal(await read(await DiskBlobs.open(folder), ref), 'hello');
});

test('what a crash left half written is gone after a restart', async (t) => {
  const folder = await openFolder(t);
  const blobs = await DiskBlobs.open(folder);
  await blobs.draft(chunks('never kept'), { maxBytes: 100 });
  await writeFile(join(folder, 'drafts', 'half'), 'half');
  assert.equal((await readdir(join(folder, 'drafts'))).length, 2);
  await DiskBlobs.open(folder);
  assert.deepEqual(await readdir(join(folder, 'drafts')), []);
  assert.deepEqual(await refs(blobs), []);
});

test('a draft that fails leaves no file', async (t) => {
  const folder = await openFolder(t);
  const blobs = await DiskBlobs.open(folder);
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('hung up');
  }
  await assert.rejects(blobs.draft(broken(), { maxBytes: 100 }));
  await assert.rejects(
    blobs.draft(chunks('12345'), { maxBytes: 4 }),
    isProblem('design.too-large'),
  );
  assert.deepEqual(await readdir(join(folder, 'drafts')), []);
});

for (const code of ['ENOSPC', 'EDQUOT']) {
  test(`${code} is for the operator to hear of, and leaves no file`, async (t) => {
    const folder = await openFolder(t);
    const blobs = await DiskBlobs.open(folder);
    async function* full() {
      yield Buffer.from('half');
      throw Object.assign(new Error(`${code}: no room`), { code });
    }
    const failing = blobs.draft(full(), { maxBytes: 100 });
    await assert.rejects(failing, isProblem('server.storage-full'));
    assert.deepEqual(await readdir(join(folder, 'drafts')), []);
  });
}

test('only the service itself may read the files', async (t) => {
  const folder = await openFolder(t);
  const blobs = await DiskBlobs.open(folder);
  const ref = await keep(blobs, 'hello');
  const { mode } = await stat(join(folder, 'kept', ref.slice(0, 2), ref));
  assert.equal(mode & 0o777, 0o600);
});

test('files of others in the folder are no blobs', async (t) => {
  const folder = await openFolder(t);
  const blobs = await DiskBlobs.open(folder);
  const ref = await keep(blobs, 'hello');
  await mkdir(join(folder, 'kept', 'ff'));
  await writeFile(join(folder, 'kept', 'ff', 'README'), '');
  await writeFile(join(folder, 'kept', '.DS_Store'), '');
  assert.deepEqual(await refs(blobs), [ref]);
});

test('an address is 64 hexadecimal digits, and nothing that leads elsewhere', () => {
  const right = '0123456789abcdef'.repeat(4);
  assert.equal(asBlobRef(right), right);
  for (const wrong of ['', '..', right.toUpperCase(), right.slice(1), `${right}0`, `${right}\n`]) {
    assert.equal(asBlobRef(wrong), undefined, JSON.stringify(wrong));
  }
  assert.equal(asBlobRef(`../${right.slice(3)}`), undefined);
});
