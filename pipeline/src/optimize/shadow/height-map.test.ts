import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HeightMap } from './height-map.ts';

type Point = readonly [x: number, height: number, z: number];

const SIZE = 32;

function draw(triangles: readonly (readonly [Point, Point, Point])[], opacity = 1): HeightMap {
  const map = new HeightMap({ width: SIZE, depth: SIZE });
  for (const triangle of triangles) map.addTriangle(Float64Array.from(triangle.flat()), opacity);
  return map;
}

function drawQuad(a: Point, b: Point, c: Point, d: Point, opacity = 1): HeightMap {
  return draw(
    [
      [a, b, c],
      [a, c, d],
    ],
    opacity,
  );
}

/** Lists the samples with something above them, as `x,z`. */
function listCovered({ lowest, width }: HeightMap): string[] {
  return [...lowest.entries()].flatMap(([index, height]) =>
    height === Infinity ? [] : [`${index % width},${Math.floor(index / width)}`],
  );
}

function countCovered(map: HeightMap): number {
  return listCovered(map).length;
}

const at = (map: HeightMap, x: number, z: number) => {
  const index = z * map.width + x;
  return [map.lowest[index], map.highest[index]] as [number, number];
};

describe('a height map', () => {
  it('contains the samples of a rectangle, and its height', () => {
    const map = drawQuad([4.1, 2, 6.1], [11.9, 2, 6.1], [11.9, 2, 8.9], [4.1, 2, 8.9]);
    const expected = [6, 7, 8].flatMap((z) => [4, 5, 6, 7, 8, 9, 10, 11].map((x) => `${x},${z}`));
    assert.deepEqual(listCovered(map), expected);
    assert.deepEqual(at(map, 7, 7), [2, 2]);
  });

  it('is the same along x and z, and for each order of the corners', () => {
    const corners: Point[] = [
      [3.3, 0, 2.2],
      [27.4, 3, 9.1],
      [14.2, 9, 30.8],
    ];
    const [a, b, c] = corners as [Point, Point, Point];
    const swap = ([x, height, z]: Point): Point => [z, height, x];
    const map = draw([[a, b, c]]);
    const swapped = draw([[swap(a), swap(b), swap(c)]]);
    assert.deepEqual(listCovered(draw([[c, b, a]])), listCovered(map));
    for (let x = 0; x < SIZE; x++) {
      for (let z = 0; z < SIZE; z++) {
        const [one, other] = [at(map, x, z), at(swapped, z, x)];
        for (const index of [0, 1] as const) {
          const isSame = one[index] === other[index] || Math.abs(one[index] - other[index]) < 0.1;
          assert.ok(isSame, `${one} and ${other} at ${x}, ${z}`);
        }
      }
    }
  });

  it('has the heights of a slope', () => {
    const map = drawQuad([0, 0, 0], [32, 32, 0], [32, 32, 32], [0, 0, 32]);
    for (const x of [1, 9, 30]) assert.deepEqual(at(map, x, 16), [x, x + 1]);
  });

  it('has the lowest and the highest point of walls', () => {
    const walls: [Point, Point][] = [
      [
        [5.5, 0, 5.5],
        [25.5, 0, 5.5],
      ],
      [
        [5.5, 0, 5.5],
        [5.5, 0, 25.5],
      ],
      [
        [5.5, 0, 5.5],
        [25.5, 0, 25.5],
      ],
    ];
    for (const [from, to] of walls) {
      const up = ([x, , z]: Point): Point => [x, 4, z];
      const map = drawQuad(from, to, up(to), up(from));
      const covered = listCovered(map);
      assert.ok(covered.length >= 21 && covered.length <= 45, `${covered.length} samples`);
      for (const index of map.lowest.keys()) {
        if (map.lowest[index] === Infinity) continue;
        assert.ok(Math.abs(map.lowest[index] as number) < 1e-9, `${map.lowest[index]}`);
        assert.ok(Math.abs((map.highest[index] as number) - 4) < 1e-9, `${map.highest[index]}`);
      }
    }
  });

  it('has no gap in a rod that is much thinner than a sample, in any direction', () => {
    for (let degrees = 0; degrees < 180; degrees += 7) {
      const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
      const point = (along: number, across: number): Point => [
        16.3 + along * cos - across * sin,
        1,
        16.4 + along * sin + across * cos,
      ];
      const [length, width] = [14, 0.01];
      const map = drawQuad(
        point(-length, -width),
        point(length, -width),
        point(length, width),
        point(-length, width),
      );
      for (let along = -length; along <= length; along += 0.5) {
        const [x, , z] = point(along, 0);
        assert.equal(at(map, Math.floor(x), Math.floor(z))[0], 1, `${degrees}°, at ${along}`);
      }
      assert.ok(countCovered(map) < 3 * 2 * length, `${degrees}°: ${countCovered(map)} samples`);
    }
  });

  it('contains a triangle within one sample', () => {
    const map = draw([
      [
        [7.2, 1, 7.2],
        [7.4, 3, 7.2],
        [7.2, 2, 7.4],
      ],
    ]);
    assert.deepEqual(listCovered(map), ['7,7']);
    assert.deepEqual(at(map, 7, 7), [1, 3]);
  });

  for (const opacity of [0, 0.25, 0.5, 0.75, 1]) {
    it(`is covered to ${opacity} by something of that opacity, evenly`, () => {
      const map = drawQuad([0, 1, 0], [32, 1, 0], [32, 1, 32], [0, 1, 32], opacity);
      assert.equal(countCovered(map), opacity * SIZE ** 2);
      const covered = new Set(listCovered(map));
      for (const start of [0, 4, 28]) {
        const cells = Array.from({ length: 16 }, (_, cell) => [cell % 4, Math.floor(cell / 4)]);
        const count = cells.filter(([x = 0, z = 0]) => covered.has(`${start + x},${start + z}`));
        assert.equal(count.length, opacity * 16);
      }
    });
  }

  const invalid = [Number.NaN, Infinity, -Infinity];
  for (const value of invalid) {
    it(`ignores triangles with ${value}`, () => {
      for (let index = 0; index < 9; index++) {
        const map = new HeightMap({ width: SIZE, depth: SIZE });
        map.addTriangle(
          Float64Array.of(1, 1, 1, 9, 1, 1, 1, 1, 9).fill(value, index, index + 1),
          1,
        );
        assert.equal(countCovered(map), 0);
      }
    });
  }

  it('visits only its own samples for huge coordinates', () => {
    for (const size of [1e9, 1e30, 1e150]) {
      const map = draw([
        [
          [-size, 1, -size],
          [size, 1, -size],
          [0, 1, size],
        ],
      ]);
      assert.equal(at(map, 16, 16)[0], 1);
      assert.ok(map.operationCount < 2 * SIZE ** 2 + 100, `${map.operationCount}`);
    }
  });
});
