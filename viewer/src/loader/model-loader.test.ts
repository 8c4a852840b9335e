import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { BoundingBox, ViewerConfig } from '@cloche/contract/viewer-config';
import { ModelLoader } from './model-loader.ts';

const geometries = [
  { triangles: 150_000, maxSize: 775, url: '/first.glb', bytes: 1 },
  { triangles: 1_000_000, url: '/full.glb', bytes: 1 },
];

const BOUNDS: BoundingBox = { min: [-1, -1, -1], max: [1, 1, 1] };

const textures = [512, 2048].map((size) => ({ size, url: `/${size}.bin`, bytes: 1 }));

function createLoader(files: Pick<ViewerConfig, 'model' | 'levels'>, size = 600): ModelLoader {
  Object.assign(globalThis, { devicePixelRatio: 1 });
  return new ModelLoader({
    config: { design: { id: '', name: '' }, ...files, grant: '', allowedOrigins: [] },
    view: { clientWidth: size, clientHeight: size } as HTMLElement,
    getRenderer: () => assert.fail('nothing is parsed'),
    onProgress: () => undefined,
  });
}

/** Requests a model for a frame of 600 pixels, or of another size, and returns the paths. */
function requestModel(t: TestContext, shownMetersPerPixel?: number, size = 600): string[] {
  const requested: string[] = [];
  t.mock.method(globalThis, 'fetch', (url: string) => {
    requested.push(url);
    return Promise.resolve(new Response());
  });
  const model = { url: '/model.glb', bytes: 1, bounds: BOUNDS };
  const loader = createLoader({ model, levels: { geometries, textures } }, size);
  void loader.requestModel(
    shownMetersPerPixel === undefined
      ? undefined
      : { metersPerPixel: shownMetersPerPixel, longestSide: 2 },
  );
  return requested;
}

describe('the files that are requested', () => {
  it('are the first geometry, and the textures for the frame', (t) => {
    assert.deepEqual(requestModel(t), ['/first.glb', '/512.bin']);
  });

  it('are the smallest for a frame that has no size yet', (t) => {
    assert.deepEqual(requestModel(t, undefined, 2000), ['/first.glb', '/2048.bin']);
    assert.deepEqual(requestModel(t, undefined, 0), ['/first.glb', '/512.bin']);
  });

  it('of a model that was shown before are those for its scale', (t) => {
    assert.deepEqual(requestModel(t, 2 / 2000), ['/full.glb', '/2048.bin']);
    assert.deepEqual(requestModel(t, 2 / 300), ['/first.glb', '/512.bin']);
  });
});

it('with a CDN, a model that is shown again after hours is requested with new tickets', async (t) => {
  const toFile = (name: string, ticket: string) => ({
    url: `https://cdn.test/${name}?ticket=${ticket}`,
    bytes: 1,
  });
  const create = (ticket: string) => ({
    model: { ...toFile('model.glb', ticket), bounds: BOUNDS },
    levels: {
      geometries: [{ ...toFile('first.glb', ticket), triangles: 150_000 }],
      textures: [{ ...toFile('2048.glb', ticket), size: 2048 }],
    },
  });
  const received: string[] = [];
  let renewals = 0;
  t.mock.method(globalThis, 'fetch', async (url: string) => {
    if (url === '/embed/model') {
      renewals += 1;
      return Response.json(create('2.new'));
    }
    const isValid = url.endsWith('2.new');
    if (isValid) received.push(url);
    return new Response(null, { status: isValid ? 200 : 403 });
  });
  const loader = createLoader(create('1.old'));
  const response = await loader.requestModel({ metersPerPixel: 2 / 300, longestSide: 2 });
  assert.equal(response.status, 200);
  await t.waitFor(() => assert.equal(received.length, 2));
  assert.equal(renewals, 1);
  assert.deepEqual(received.toSorted(), [
    'https://cdn.test/2048.glb?ticket=2.new',
    'https://cdn.test/first.glb?ticket=2.new',
  ]);
});
