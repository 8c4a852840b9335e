import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { Problem } from '@cloche/contract/problem';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { listOpenFiles } from '../../testing/open-files.ts';
import { createDiskFullBlobStore } from '../../testing/test-blobs.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { compressDraft } from './compress-draft.ts';

const TEXT = Buffer.from('vertices and triangles '.repeat(20_000));

async function openDraft(t: TestContext, bytes: Buffer) {
  const directory = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(directory);
  const draft = await blobs.createDraft([bytes] as never, { maxBytes: bytes.length });
  const listDrafts = async () => (await readdir(join(directory, 'drafts'))).length;
  return { blobs, draft, listDrafts, directory };
}

test('the compressed draft has the same bytes, at both qualities', async (t) => {
  for (const bytes of [TEXT.subarray(0, 5000), TEXT]) {
    const { blobs, draft } = await openDraft(t, bytes);
    const compressed = await compressDraft(blobs, draft);
    assert.ok(compressed !== undefined && compressed.sizeBytes < bytes.length / 20);
    assert.deepEqual(brotliDecompressSync(await readFile(compressed.path)), bytes);
  }
});

test('no draft remains if compressing saves less than 5 %', async (t) => {
  const random = randomBytes(100_000);
  const cases: [name: string, bytes: Buffer][] = [
    ['incompressible', random],
    ['4 % compressible', Buffer.concat([random, Buffer.alloc(4000)])],
    ['empty', Buffer.alloc(0)],
    ['small', TEXT.subarray(0, 4095)],
  ];
  for (const [name, bytes] of cases) {
    const { blobs, draft, listDrafts } = await openDraft(t, bytes);
    assert.equal(await compressDraft(blobs, draft), undefined, name);
    assert.equal(await listDrafts(), 1, name);
  }
});

test('a full disk, or a draft that cannot be read: no draft and no open file remain', async (t) => {
  const { blobs, draft, listDrafts, directory } = await openDraft(t, TEXT);
  const fullDisk = createDiskFullBlobStore(blobs);
  await assert.rejects(
    compressDraft(fullDisk, draft),
    (error) => error instanceof Problem && error.code === 'server.storage-full',
  );
  assert.equal(await listDrafts(), 1);
  await rm(draft.path);
  await assert.rejects(compressDraft(blobs, draft), { code: 'ENOENT' });
  assert.equal(await listDrafts(), 0);
  // A stream that fails closes its file a moment later.
  await waitUntil('no open file', async () => (await listOpenFiles(directory)).length === 0);
});
