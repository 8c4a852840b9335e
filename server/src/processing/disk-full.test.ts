import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer } from '../../testing/harness.ts';
import { uploadTestDesign } from '../../testing/requests.ts';
import { createDiskFullBlobStore } from '../../testing/test-blobs.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';

test('when the disk is full while a model is compressed, the design fails and nothing remains', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const disk = await DiskBlobStore.open(join(directory, 'blobs'));
  const fullDisk = createDiskFullBlobStore(disk);
  let draftCount = 0;
  const blobs: BlobStore = {
    ...fullDisk,
    createDraft(...args) {
      // The source file fits, and the model in each attempt. Its compressed form does not.
      const fits = draftCount === 0 || draftCount % 2 === 1;
      draftCount += 1;
      return (fits ? disk : fullDisk).createDraft(...args);
    },
  };
  const service = await openTestServer(t, { blobs });
  const model = makeBox({ name: 'leg '.repeat(5000) });
  const design = await uploadTestDesign(service, 'chair', model);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'server.storage-full');
  assert.ok(draftCount > 2, 'the model was compressed');
  assert.deepEqual(await readdir(join(directory, 'blobs', 'drafts')), []);
  const stored = await Array.fromAsync(disk.list());
  assert.equal(stored.length, 1, 'only the source file is stored');
  const artifacts = await connectToServerDatabase(t, service).all('SELECT * FROM artifact');
  assert.deepEqual(artifacts, []);
});
