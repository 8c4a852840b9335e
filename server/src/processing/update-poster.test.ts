import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { CapturedPoster, PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer, type TestServer, type TestServerOptions } from '../../testing/harness.ts';
import { GLB_HEADERS, HOST_HEADER, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { createSuspendedBlobStore } from '../../testing/test-blobs.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';

type Render = (options: ViewerOptions) => Promise<void>;

/** Opens a service whose posters are texts: the options with which they were rendered. */
async function setUp(
  t: TestContext,
  beforeRender: Render = async () => {},
  options: TestServerOptions = {},
) {
  const rendered: ViewerOptions[] = [];
  const posterRenderer: PosterRenderer = {
    async render({ options = {} }): Promise<CapturedPoster> {
      rendered.push(options);
      await beforeRender(options);
      const image = { width: 4, height: 3, bytes: Buffer.from(JSON.stringify(options)) };
      return {
        images: [
          { ...image, kind: 'poster' },
          { ...image, kind: 'poster-share' },
        ],
        placeholder: { background: '#dfe2e7' },
        hasOneColor: false,
      };
    },
  };
  const service = await openTestServer(t, { ...options, processing: { posterRenderer } });
  const { id } = await uploadTestDesign(service);
  const change = async (fields: object) => {
    const response = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, fields);
    assert.equal(response.statusCode, 200, response.body);
  };
  await change({ shared: true });
  const database = connectToServerDatabase(t, service);
  const waitUntilIdle = () =>
    waitUntil('the queue is empty', async () => {
      const row = await database.get('SELECT count(*) AS count FROM job');
      return row?.count === 0;
    });
  return { service, id, rendered, change, waitUntilIdle };
}

/** The poster that an embed shows; undefined if it shows none. */
async function readPoster({ app }: TestServer, id: string, query = ''): Promise<unknown> {
  const get = (url: string, headers: Record<string, string>) =>
    app.inject({ url, headers: { ...HOST_HEADER, ...headers } });
  const { body } = await get(`/embed/share/v1/${id}${query}`, {
    'sec-fetch-dest': 'iframe',
    'sec-fetch-site': 'cross-site',
  });
  const json = /id="viewer-config">(.*?)<\/script>/.exec(body)?.[1] ?? '';
  const { posters, grant }: ViewerConfig = JSON.parse(json);
  if (posters?.[0] === undefined) return undefined;
  const image = await get(posters[0].url, { 'cloche-grant': grant });
  assert.equal(image.statusCode, 200, image.body);
  return JSON.parse(image.body);
}

describe('the poster of a design whose options change', () => {
  it('is rendered again with them, and shown with them only', async (t) => {
    const { service, id, rendered, change, waitUntilIdle } = await setUp(t);
    assert.deepEqual(await readPoster(service, id), {});
    const viewer = { cameraOrbit: '30deg 75deg 105%', background: '#102030', lang: 'de' };
    await change({ viewer });
    await waitUntilIdle();
    const options = { cameraOrbit: '30deg 75deg 105%' };
    assert.deepEqual(rendered, [{}, options]);
    assert.deepEqual(await readPoster(service, id), options);
    assert.equal(await readPoster(service, id, '?camera-orbit=auto'), undefined);
    assert.deepEqual(await readPoster(service, id, '?theme=dark'), options);
    const share = await service.app.inject({
      url: `/share/${id}/image.jpg`,
      headers: HOST_HEADER,
    });
    assert.deepEqual(share.json(), options);
    await change({ viewer: null });
    await waitUntilIdle();
    assert.deepEqual(await readPoster(service, id), {});
  });

  it('is not rendered again for options that do not change the picture', async (t) => {
    const { rendered, change, waitUntilIdle } = await setUp(t);
    await change({ viewer: { background: '#102030', exposure: 1, cameraOrbit: 'auto auto auto' } });
    await change({ name: 'Chair' });
    await waitUntilIdle();
    assert.deepEqual(rendered, [{}]);
  });

  it('that change while it is rendered: it is rendered once more, with the last ones', async (t) => {
    const released = Promise.withResolvers<void>();
    const { service, id, rendered, change, waitUntilIdle } = await setUp(
      t,
      async ({ exposure }) => {
        if (exposure === 2) await released.promise;
      },
    );
    await change({ viewer: { exposure: 2 } });
    await waitUntil('rendering has started', () => rendered.length === 2);
    await change({ viewer: { exposure: 3 } });
    await change({ viewer: { exposure: 4 } });
    released.resolve();
    await waitUntilIdle();
    assert.deepEqual(rendered, [{}, { exposure: 2 }, { exposure: 4 }]);
    assert.deepEqual(await readPoster(service, id), { exposure: 4 });
  });

  it('cannot be rendered: the design stays ready, without a poster', async (t) => {
    const { service, id, change, waitUntilIdle } = await setUp(t, async ({ exposure }) => {
      if (exposure === 2) throw new Error('no browser starts');
    });
    await change({ viewer: { exposure: 2 } });
    await waitUntilIdle();
    const { status } = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    assert.equal(status, 'ready');
    assert.equal(await readPoster(service, id), undefined);
    await change({ viewer: {} });
    await waitUntilIdle();
    assert.deepEqual(await readPoster(service, id), {});
  });

  it('may have been removed by another node before its row: it is rendered again', async (t) => {
    const disk = await DiskBlobStore.open(await openTemporaryDirectory(t));
    let changeCount = 0;
    const blobs = createSuspendedBlobStore(disk, () => changeCount === 1);
    const beforeRender: Render = async ({ exposure }) => {
      if (exposure === 2) changeCount += 1;
    };
    const { service, id, rendered, change, waitUntilIdle } = await setUp(t, beforeRender, {
      blobs,
    });
    await change({ viewer: { exposure: 2 } });
    await waitUntilIdle();
    assert.deepEqual(rendered, [{}, { exposure: 2 }, { exposure: 2 }]);
    assert.deepEqual(await readPoster(service, id), { exposure: 2 });
  });

  it('has failed too often: the design stays ready', async (t) => {
    const { service, id, rendered, change, waitUntilIdle } = await setUp(t);
    await connectToServerDatabase(t, service).exec(
      `INSERT INTO job (id, revision_id, attempts, due_at, created_at)
       SELECT 'a', revision_id, 3, '2000-01-01', '2000-01-01' FROM design`,
    );
    await change({ name: 'Chair' });
    await waitUntilIdle();
    assert.deepEqual(rendered, [{}]);
    const { status } = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    assert.equal(status, 'ready');
  });

  it('is rendered again when embeds show an older revision', async (t) => {
    const { service, id, change, waitUntilIdle } = await setUp(t);
    const url = `/v1/designs/${id}/model`;
    await sendRequest(service, 'PUT', url, makeBox({ color: [1, 0, 0] }), GLB_HEADERS);
    await change({ viewer: { exposure: 2 } });
    await waitUntilIdle();
    await change({ revision: 1 });
    await waitUntilIdle();
    assert.deepEqual(await readPoster(service, id), { exposure: 2 });
  });

  it('is rendered with the options that the design has when a file is uploaded', async (t) => {
    const { service, id, rendered, change, waitUntilIdle } = await setUp(t);
    await change({ viewer: { variantName: 'Oak' } });
    await waitUntilIdle();
    const url = `/v1/designs/${id}/model`;
    const uploaded = await sendRequest(service, 'PUT', url, makeBox(), GLB_HEADERS);
    assert.equal(uploaded.statusCode, 200, uploaded.body);
    assert.deepEqual(rendered.at(-1), { variantName: 'Oak' });
    assert.deepEqual(await readPoster(service, id), { variantName: 'Oak' });
  });
});
