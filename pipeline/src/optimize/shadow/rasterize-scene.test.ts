import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMeshDocument } from '../../../testing/shadow-models.ts';
import { HeightMap } from './height-map.ts';
import { rasterizeScene } from './rasterize-scene.ts';

const SIZE = 64;

/** Rasterizes random triangles with sides of about `extent` samples, and returns the number of operations. */
function rasterize(triangleCount: number, extent: number, maxOperations = Infinity) {
  const positions: number[] = [];
  let seed = 1;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  for (let triangle = 0; triangle < triangleCount; triangle++) {
    const [x, z] = [random() * (SIZE - extent), random() * (SIZE - extent)];
    for (let corner = 0; corner < 3; corner++) {
      positions.push(x + extent * random(), random(), z + extent * random());
    }
  }
  const indices = Array.from({ length: 3 * triangleCount }, (_, index) => index);
  const map = new HeightMap({ width: SIZE, depth: SIZE });
  const isComplete = rasterizeScene(createMeshDocument([{ positions, indices }]), map, {
    placement: { minX: 0, minZ: 0, y: 0, samplesPerMeter: 1, heightPerMeter: 1 },
    getOpacity: () => () => 1,
    maxOperations,
  });
  return { operations: map.operationCount, isComplete };
}

describe('the time of rasterization', () => {
  const extents: [extent: number, maxPerTriangle: number][] = [
    [0.1, 4],
    [3, 20],
    [SIZE, SIZE ** 2],
  ];
  for (const [extent, maxPerTriangle] of extents) {
    it(`is linear for triangles of ${extent} samples`, () => {
      const perTriangle = [500, 1000, 2000].map(
        (count) => rasterize(count, extent).operations / count,
      );
      for (const value of perTriangle) {
        assert.ok(value <= maxPerTriangle, perTriangle.join());
        assert.ok(value < 1.2 * (perTriangle[0] as number), perTriangle.join());
      }
    });
  }

  it('is limited, whatever the triangles are', () => {
    const limit = 20_000;
    for (const count of [500, 5000]) {
      const { operations, isComplete } = rasterize(count, SIZE, limit);
      assert.equal(isComplete, false);
      assert.ok(operations <= limit + 2 * SIZE ** 2, `${operations}`);
    }
    assert.equal(rasterize(500, 0.1, limit).isComplete, true);
  });
});
