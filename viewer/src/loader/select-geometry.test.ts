import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Geometry,
  getMaxTriangles,
  removeSmallGeometries,
  selectGeometry,
} from './select-geometry.ts';

const geometries = [
  { triangles: 150_000, maxSize: 775, url: '/150000.glb', bytes: 600_000 },
  { triangles: 1_000_000, url: '/1000000.glb', bytes: 4_000_000 },
] as const;

describe('the geometry for a screen and a device', () => {
  const rows: [reason: string, pixels: number, deviceMemory: number | undefined, index: number][] =
    [
      ['a small picture', 100, 8, 0],
      ['the largest picture in which it looks like the whole model', 775, 8, 0],
      ['a pixel more', 776, 8, 1],
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

const FULL = Infinity;

/** Geometries with these sizes, and the whole model: it has few triangles if there are fewer than two others. */
function toGeometries(maxSizes: readonly number[]): Geometry[] {
  const full = { triangles: maxSizes.length < 2 ? 180_000 : 1e6, url: '/full', bytes: 1 };
  return [
    ...maxSizes.map((maxSize) => ({
      triangles: 190 * maxSize,
      maxSize,
      url: `/${maxSize}`,
      bytes: 1,
    })),
    full,
  ];
}

describe('the geometry that a model is loaded with', () => {
  const rows: [
    reason: string,
    maxSizes: number[],
    frame: [number, number, number],
    expected: number[],
  ][] = [
    ['a small frame', [320, 775], [400, 300, 1], [320, 775, FULL]],
    ['the shorter side decides', [320, 775], [1600, 320, 1], [320, 775, FULL]],
    ['a frame that is a pixel larger', [320, 775], [400, 321, 1], [775, FULL]],
    ['a large frame', [320, 775], [800, 600, 1], [775, FULL]],
    ['more device pixels', [320, 775], [400, 300, 2], [775, FULL]],
    ['no more than two device pixels', [387, 775], [200, 190, 4], [387, 775, FULL]],
    ['the largest is not the first', [320, 775], [4000, 4000, 1], [775, FULL]],
    ['except if it has few triangles', [320], [800, 600, 1], [FULL]],
    ['not even if it is one of the others', [320, 1000], [800, 600, 1], [320, 1000, FULL]],
    ['only one', [], [800, 600, 1], [FULL]],
    ['a frame without a size', [320], [0, 0, 1], [320, FULL]],
  ];
  for (const [reason, maxSizes, [clientWidth, clientHeight, devicePixelRatio], expected] of rows) {
    it(reason, () => {
      Object.assign(globalThis, { devicePixelRatio });
      const config = { levels: { geometries: toGeometries(maxSizes), textures: [] } };
      removeSmallGeometries(config, { clientWidth, clientHeight });
      assert.deepEqual(
        config.levels.geometries.map(({ maxSize = FULL }) => maxSize),
        expected,
      );
    });
  }

  it('a model without levels has none', () => {
    removeSmallGeometries({}, { clientWidth: 800, clientHeight: 600 });
  });
});
