import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { skipWithout } from '../../../scripts/optional-programs.ts';
import { openS3Proxy, type ProxiedRequest } from '../../testing/s3-proxy.ts';
import { useS3Server } from '../../testing/s3-server.ts';
import { isProblem } from './blob-store.contract.ts';
import { S3BlobStore } from './s3-blob-store.ts';

const LARGE_BYTES = 20 * 1024 ** 2;
/** Longer than the limit of ordinary requests. */
const JOIN_MS = 4500;
/** The server may take minutes to join the parts; one that is frozen is noticed after seconds. */
const TEST_TIMEOUT_MS = 90_000;
const isUnavailable = isProblem('server.unavailable');

const startsUpload = ({ method, path }: ProxiedRequest) =>
  method === 'POST' && /[?&]uploads/.test(path);
const sendsPart = ({ method, path }: ProxiedRequest) =>
  method === 'PUT' && /[?&]partNumber=2/.test(path);
const joinsParts = ({ method, path }: ProxiedRequest) =>
  method === 'POST' && /[?&]uploadId=/.test(path);
const abortsUpload = ({ method, path }: ProxiedRequest) =>
  method === 'DELETE' && /[?&]uploadId=/.test(path);

describe('an upload in parts', { skip: skipWithout('radosgw') }, () => {
  const s3 = useS3Server();

  /** Opens a store behind a proxy, and a draft that is sent in parts. */
  const openDraft = async (t: TestContext, onRequest: (request: ProxiedRequest) => number) => {
    const { origin, requests } = await openS3Proxy(t, s3.settings.endpoint, onRequest);
    const location = { endpoint: origin, prefix: `${randomUUID()}/` };
    const directory = await openTemporaryDirectory(t);
    const blobs = await S3BlobStore.open({ ...s3.settings, ...location }, directory);
    t.after(() => blobs[Symbol.dispose]());
    const bytes = randomBytes(LARGE_BYTES);
    const chunks = async function* () {
      yield Buffer.from(bytes);
    };
    const draft = await blobs.createDraft(chunks(), { maxBytes: LARGE_BYTES });
    t.after(() => draft[Symbol.asyncDispose]());
    return { blobs, draft, bytes, requests };
  };

  it('waits longer for the parts to be joined than for other responses', async (t) => {
    const { blobs, draft, bytes, requests } = await openDraft(t, (request) =>
      joinsParts(request) ? JOIN_MS : 0,
    );
    await draft.commit();
    assert.equal(requests.filter(joinsParts).length, 1);
    assert.ok((await blobs.read(draft.ref))?.equals(bytes));
  });

  const cases: [name: string, isLast: (request: ProxiedRequest) => boolean][] = [
    ['before the first part', startsUpload],
    ['during the parts', sendsPart],
    ['while it joins the parts', joinsParts],
  ];
  for (const [name, isLast] of cases) {
    const timeout = TEST_TIMEOUT_MS;
    it(`reports server.unavailable if the server freezes ${name}`, { timeout }, async (t) => {
      let isFrozen = false;
      const { blobs, draft, bytes, requests } = await openDraft(t, (request) => {
        if (!isFrozen && isLast(request)) {
          s3.gateway.pause();
          isFrozen = true;
        }
        return 0;
      });
      t.after(() => s3.gateway.resume());
      // The server does not continue before this has ended.
      await assert.rejects(draft.commit(), isUnavailable);
      assert.ok(isFrozen);
      // Nobody waits for the request that deletes the parts.
      assert.ok(requests.filter(abortsUpload).every(({ closed }) => !closed));
      s3.gateway.resume();
      await draft.commit();
      assert.ok((await blobs.read(draft.ref))?.equals(bytes));
    });
  }
});
