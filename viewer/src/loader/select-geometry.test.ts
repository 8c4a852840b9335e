import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getMaxTriangles, removeSmallGeometries, selectGeometry } from './select-geometry.ts';

const geometries = [150_000, 1_000_000].map((triangles) => ({
  triangles,
  url: `/${triangles}.glb`,
  bytes: 4 * triangles,
}));

describe('the geometry for a screen and a device', () => {
  const rows: [reason: string, pixels: number, deviceMemory: number | undefined, index: number][] =
    [
      ['a small picture', 100, 8, 0],
      ['a picture in which a visible triangle covers four pixels', 774, 8, 0],
      ['a few pixels more', 776, 8, 1],
      ['more pixels than triangles', 1e5, undefined, 1],
      ['a device that can draw it', 2000, 4, 1],
      ['a device with less memory', 2000, 2, 0],
      ['a device that cannot draw any: the first all the same', 2000, 0.25, 0],
    ];
  for (const [reason, pixels, deviceMemory, index] of rows) {
    it(`${reason}: ${geometries[index]?.triangles} triangles`, () => {
      const maxTriangles = getMaxTriangles({ deviceMemory } as never);
      const scale = { metersPerPixel: 2 / pixels, longestSide: 2 };
      assert.equal(selectGeometry(geometries, scale, maxTriangles), geometries[index]);
    });
  }

  it('a device with much memory has no limit', () => {
    assert.equal(getMaxTriangles({ deviceMemory: 8 } as never), Infinity);
  });
});

describe('the geometry that a model is loaded with', () => {
  const rows: [
    reason: string,
    triangles: number[],
    frame: [number, number, number],
    expected: number[],
  ][] = [
    ['a small frame', [37_500, 150_000, 1e6], [400, 300, 1], [37_500, 150_000, 1e6]],
    ['the shorter side decides', [37_500, 150_000, 1e6], [1600, 380, 1], [37_500, 150_000, 1e6]],
    ['a large frame', [37_500, 150_000, 1e6], [800, 600, 1], [150_000, 1e6]],
    ['more device pixels', [37_500, 150_000, 1e6], [400, 300, 2], [150_000, 1e6]],
    ['no more than two device pixels', [37_500, 150_000], [200, 190, 4], [37_500, 150_000]],
    ['the largest is not the first', [37_500, 150_000, 1e6], [4000, 4000, 1], [150_000, 1e6]],
    ['except if it has few triangles', [37_500, 180_000], [800, 600, 1], [180_000]],
    ['only one', [10_000], [800, 600, 1], [10_000]],
    ['a frame without a size', [37_500, 150_000], [0, 0, 1], [37_500, 150_000]],
  ];
  for (const [reason, triangles, [clientWidth, clientHeight, devicePixelRatio], expected] of rows) {
    it(reason, () => {
      Object.assign(globalThis, { devicePixelRatio });
      const config = {
        levels: {
          geometries: triangles.map((count) => ({ triangles: count, url: `/${count}`, bytes: 1 })),
          textures: [],
        },
      };
      removeSmallGeometries(config, { clientWidth, clientHeight });
      assert.deepEqual(
        config.levels.geometries.map((each) => each.triangles),
        expected,
      );
    });
  }

  it('a model without levels has none', () => {
    removeSmallGeometries({}, { clientWidth: 800, clientHeight: 600 });
  });
});
