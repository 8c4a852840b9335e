import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ModelLoader } from './model-loader.ts';

const geometries = [
  { triangles: 150_000, url: '/first.glb', bytes: 1 },
  { triangles: 1_000_000, url: '/full.glb', bytes: 1 },
];

/** Requests a model for a frame of that many pixels, and returns the paths. */
function requestModel(t: TestContext, pixels: number, isShownAgain: boolean): string[] {
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
      levels: { geometries, textures: [] },
      grant: '',
      allowedOrigins: [],
    },
    view: { clientWidth: pixels, clientHeight: pixels } as HTMLElement,
    getRenderer: () => assert.fail('nothing is parsed'),
    onProgress: () => undefined,
  });
  void loader.requestModel({ isShownAgain });
  return requested;
}

describe('the geometry that is requested', () => {
  it('is the first one, however large the frame is', (t) => {
    assert.deepEqual(requestModel(t, 2000, false), ['/first.glb']);
  });

  it('for a model that was shown before is the one that the frame can show', (t) => {
    assert.deepEqual(requestModel(t, 2000, true), ['/full.glb']);
    assert.deepEqual(requestModel(t, 300, true), ['/first.glb']);
  });
});
