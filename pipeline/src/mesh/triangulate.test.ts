import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGrowableIndices } from './growable-array.ts';
import { triangulatePolygon } from './triangulate.ts';

type Point = readonly [number, number, number];

function triangulate(points: readonly Point[]): Uint32Array {
  const indices = createGrowableIndices();
  triangulatePolygon(
    indices,
    points.map((_, index) => index),
    Float32Array.from(points.flat()),
  );
  return indices.toTypedArray();
}

/** The area vector of each triangle: its normal, scaled to the length of its area. */
function computeAreaVectors(points: readonly Point[], indices: Uint32Array): Point[] {
  return Array.from({ length: indices.length / 3 }, (_, triangle) => {
    const [a, b, c] = [0, 1, 2].map((corner) => points[indices[3 * triangle + corner] ?? -1]);
    assert.ok(a && b && c);
    const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    return [(uy * vz - uz * vy) / 2, (uz * vx - ux * vz) / 2, (ux * vy - uy * vx) / 2];
  });
}

function assertTriangulated(points: readonly Point[], axis: 0 | 1 | 2, signedArea: number): void {
  const indices = triangulate(points);
  assert.equal(indices.length, 3 * (points.length - 2));
  const areas = computeAreaVectors(points, indices).map((area) => area[axis]);
  assert.ok(
    areas.every((area) => Math.sign(area) === Math.sign(signedArea)),
    'a triangle is flipped',
  );
  const sum = areas.reduce((total, area) => total + area, 0);
  assert.ok(Math.abs(sum - signedArea) < 1e-4 * Math.abs(signedArea), `${sum}, not ${signedArea}`);
}

/** A star around the origin of the xy plane whose corners alternate between two radii. */
function makeStar(spikes: number, [outer, inner]: readonly [number, number]): Point[] {
  return Array.from({ length: 2 * spikes }, (_, index) => {
    const radius = index % 2 === 0 ? outer : inner;
    const angle = (Math.PI * index) / spikes;
    return [radius * Math.cos(angle), radius * Math.sin(angle), 0];
  });
}

const starArea = (spikes: number, [outer, inner]: readonly [number, number]) =>
  spikes * outer * inner * Math.sin(Math.PI / spikes);

describe('triangulatePolygon', () => {
  const arrow: Point[] = [
    [0, 0, 0],
    [2, 1, 0],
    [0, 2, 0],
    [1, 1, 0],
  ];

  it('returns the corners of a triangle unchanged', () => {
    assert.deepEqual([...triangulate(arrow.slice(0, 3))], [0, 1, 2]);
  });

  it('triangulates a concave polygon', () => assertTriangulated(arrow, 2, 1));

  it('keeps the winding of a clockwise polygon', () =>
    assertTriangulated(arrow.toReversed(), 2, -1));

  for (const axis of [0, 1, 2] as const) {
    it(`triangulates a polygon whose normal is along ${'xyz'[axis]}`, () => {
      const turned = arrow.map(([x, y, z]) => {
        const point: [number, number, number] = [0, 0, 0];
        point[(axis + 1) % 3] = x;
        point[(axis + 2) % 3] = y;
        point[axis] = z;
        return point;
      });
      assertTriangulated(turned, axis, 1);
      assertTriangulated(turned.toReversed(), axis, -1);
    });
  }

  it('triangulates a star', () => assertTriangulated(makeStar(5, [2, 1]), 2, starArea(5, [2, 1])));

  it('triangulates a concave polygon of 1000 corners', () => {
    assertTriangulated(makeStar(500, [2, 1]), 2, starArea(500, [2, 1]));
  });

  it('uses a corner in the middle of a straight edge, because the adjacent polygon may use it', () => {
    const square: Point[] = [
      [0, 0, 0],
      [1, 0, 0],
      [2, 0, 0],
      [2, 2, 0],
      [0, 2, 0],
    ];
    assertTriangulated(square, 2, 4);
  });

  it('uses the corners of the polygon, not their order, as indices', () => {
    const indices = createGrowableIndices();
    const positions = Float32Array.from([9, 9, 9, ...arrow.flat()]);
    triangulatePolygon(indices, [1, 2, 3, 4], positions);
    assert.deepEqual(new Set(indices.toTypedArray()), new Set([1, 2, 3, 4]));
  });

  const DEGENERATE: [description: string, points: Point[]][] = [
    ['on one line', [0, 1, 2, 3].map((x) => [x, x, x] as const)],
    ['at one point', [0, 1, 2, 3].map(() => [1, 2, 3] as const)],
    ['of only two corners', arrow.slice(0, 2)],
    ['without corners', []],
  ];
  for (const [description, points] of DEGENERATE) {
    it(`returns no triangles for a polygon ${description}`, () => {
      assert.equal(triangulate(points).length, 0);
    });
  }
});
