import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { skipWithout } from '../../../scripts/optional-programs.ts';
import { type Interruption, openS3Proxy } from '../../testing/s3-proxy.ts';
import { useS3Server } from '../../testing/s3-server.ts';
import { mountTmpfs } from '../../testing/small-disk.ts';
import { isProblem } from './blob-store.contract.ts';
import { S3BlobStore } from './s3-blob-store.ts';

/** More than the connections of client, proxy and server buffer. The disk has space for one such file. */
const BYTES = 20 * 1024 ** 2;

// A job begins with such a copy. Only server.unavailable does not count as one of its attempts.

describe('S3BlobStore.copyToFile', { skip: skipWithout('radosgw') }, () => {
  const s3 = useS3Server();

  /** Opens a store with one large blob, and counts the times that reading the blob is interrupted. */
  async function openInterrupted(t: TestContext, interruption: Interruption | 0) {
    const state = { interruptions: 0 };
    const { origin } = await openS3Proxy(t, s3.settings.endpoint, ({ method, path }) => {
      if (method !== 'GET' || !path.includes('/sha256/')) return 0;
      state.interruptions += 1;
      return interruption;
    });
    const location = { endpoint: origin, prefix: `${randomUUID()}/` };
    const drafts = await openTemporaryDirectory(t);
    const blobs = await S3BlobStore.open({ ...s3.settings, ...location }, drafts);
    t.after(() => blobs[Symbol.dispose]());
    const bytes = async function* () {
      yield randomBytes(BYTES);
    };
    await using draft = await blobs.createDraft(bytes(), { maxBytes: BYTES });
    await draft.commit();
    return { blobs, ref: draft.ref, state };
  }

  const interruptions: [reason: string, interruption: Interruption][] = [
    ['the connection is closed', 'cut'],
    ['no more bytes arrive', 'stall'],
  ];
  for (const [reason, interruption] of interruptions) {
    it(`reports server.unavailable if ${reason} after the first bytes, and leaves no file`, async (t) => {
      const { blobs, ref, state } = await openInterrupted(t, interruption);
      const folder = await openTemporaryDirectory(t);
      const copying = blobs.copyToFile(ref, join(folder, 'copy'));
      await assert.rejects(copying, isProblem('server.unavailable'));
      assert.equal(state.interruptions, 1);
      assert.deepEqual(await readdir(folder), []);
    });
  }

  it('reports server.storage-full if the local disk is full', async (t) => {
    const folder = await mountTmpfs(t);
    if (folder === undefined) return;
    const { blobs, ref } = await openInterrupted(t, 0);
    assert.equal(await blobs.copyToFile(ref, join(folder, 'first')), true);
    const copying = blobs.copyToFile(ref, join(folder, 'second'));
    await assert.rejects(copying, isProblem('server.storage-full'));
    assert.deepEqual(await readdir(folder), ['first']);
  });
});
