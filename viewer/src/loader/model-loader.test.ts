import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ModelLoader } from './model-loader.ts';

const geometries = [
  { triangles: 150_000, maxSize: 775, url: '/first.glb', bytes: 1 },
  { triangles: 1_000_000, url: '/full.glb', bytes: 1 },
];

const textures = [512, 2048].map((size) => ({ size, url: `/${size}.bin`, bytes: 1 }));

/** Requests a model for a frame of 600 pixels, or of another size, and returns the paths. */
function requestModel(t: TestContext, shownMetersPerPixel?: number, size = 600): string[] {
  const requested: string[] = [];
  t.mock.method(globalThis, 'fetch', (url: string) => {
    requested.push(url);
    return Promise.resolve(new Response());
  });
  Object.assign(globalThis, { devicePixelRatio: 1 });
  const loader = new ModelLoader({
    config: {
      design: { id: '', name: '' },
      model: { url: '/model.glb', bytes: 1, bounds: { min: [-1, -1, -1], max: [1, 1, 1] } },
      levels: { geometries, textures },
      grant: '',
      allowedOrigins: [],
    },
    view: { clientWidth: size, clientHeight: size } as HTMLElement,
    getRenderer: () => assert.fail('nothing is parsed'),
    onProgress: () => undefined,
  });
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
