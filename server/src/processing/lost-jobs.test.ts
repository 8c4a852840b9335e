import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { createSuspendedBlobStore } from '../../testing/test-blobs.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { DesignStore } from '../designs/design-store.ts';
import { RevisionStore } from '../designs/revision-store.ts';

const WITHOUT_WAIT = { ...GLB_HEADERS, prefer: '' };

test('a runner whose job another one has by now changes nothing', async (t) => {
  const service = await openTestServer(t, { processing: { concurrency: 0 } });
  await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const revisions = new RevisionStore(database, new DesignStore(database));
  const select = () =>
    database.selectFrom('revision').select(['id', 'status']).executeTakeFirstOrThrow();
  const revision = await revisions.find((await select()).id);
  assert.ok(revision);
  const mark = (isHeld: boolean) =>
    revisions.markProcessing(revision, new Date(), async () => isHeld);
  assert.equal(await mark(false), false);
  assert.equal((await select()).status, 'queued');
  assert.equal(await mark(true), true);
  assert.equal((await select()).status, 'processing');
});

test('when another node may have removed an artifact meanwhile, the attempt is repeated', async (t) => {
  const disk = await DiskBlobStore.open(join(await openTemporaryDirectory(t), 'blobs'));
  let runCount = 0;
  // The upload before the first attempt, and the second attempt, are not suspended.
  const blobs = createSuspendedBlobStore(disk, () => runCount === 1);
  const modelProcessor: ModelProcessor = {
    async run(...args) {
      runCount += 1;
      return passthroughProcessor.run(...args);
    },
  };
  const service = await openTestServer(t, { blobs, processing: { modelProcessor } });
  const design = await uploadTestDesign(service);
  assert.equal(runCount, 2);
  assert.equal(design.status, 'ready');
});
