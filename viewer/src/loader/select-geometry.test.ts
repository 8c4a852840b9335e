import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getMaxTriangles, selectGeometry } from './select-geometry.ts';

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
