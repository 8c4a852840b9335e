import type { Growing } from './grow.ts';

/** Beyond this many corners a polygon is taken as convex: cutting ears is quadratic. */
const MOST_CORNERS = 256;

/** Three numbers for each vertex. */
type Coordinates = { at(index: number): number | undefined };
type Flat = { x: Float64Array; y: Float64Array };

/** Cuts a polygon, convex or not, into triangles. `positions` are those of all vertices. */
export function addPolygon(
  indices: Growing<Uint32Array>,
  corners: readonly number[],
  positions: Coordinates,
): void {
  if (corners.length === 3) {
    indices.push3(corners[0] as number, corners[1] as number, corners[2] as number);
    return;
  }
  for (const [a, b, c] of cut(corners, positions)) {
    indices.push3(corners[a] as number, corners[b] as number, corners[c] as number);
  }
}

type Triangle = [number, number, number];

function cut(corners: readonly number[], positions: Coordinates): Triangle[] {
  const flat = flatten(corners, positions);
  const left = corners.map((_, at) => at);
  const isConvex = left.every((at) => {
    const count = left.length;
    return area(flat, (at + count - 1) % count, at, (at + 1) % count) >= 0;
  });
  if (isConvex || corners.length > MOST_CORNERS) return fan(left);
  const triangles: Triangle[] = [];
  while (left.length > 3) {
    const ear = findEar(flat, left);
    if (ear === undefined) break;
    triangles.push(around(left, ear));
    left.splice(ear, 1);
  }
  return [...triangles, ...fan(left)];
}

function fan(left: readonly number[]): Triangle[] {
  return left.slice(2).map((corner, at) => [left[0] as number, left[at + 1] as number, corner]);
}

function around(left: readonly number[], at: number): Triangle {
  const count = left.length;
  return [
    left[(at + count - 1) % count] as number,
    left[at] as number,
    left[(at + 1) % count] as number,
  ];
}

/** The first corner that can be cut off: it bends inwards and no other corner lies in its triangle. */
function findEar(flat: Flat, left: readonly number[]): number | undefined {
  const found = left.findIndex((_, at) => {
    const [a, b, c] = around(left, at);
    if (area(flat, a, b, c) <= 0) return false;
    return !left.some((p) => p !== a && p !== b && p !== c && isInside(flat, p, [a, b, c]));
  });
  return found < 0 ? undefined : found;
}

function isInside(flat: Flat, point: number, [a, b, c]: Triangle): boolean {
  return (
    area(flat, a, b, point) >= 0 && area(flat, b, c, point) >= 0 && area(flat, c, a, point) >= 0
  );
}

/** Twice the area of a triangle, positive when counter-clockwise. */
function area({ x, y }: Flat, a: number, b: number, c: number): number {
  const [ax, ay] = [x[a] as number, y[a] as number];
  return (
    ((x[b] as number) - ax) * ((y[c] as number) - ay) -
    ((y[b] as number) - ay) * ((x[c] as number) - ax)
  );
}

/** Drops the axis along which the polygon is thinnest, by its Newell normal; keeps it counter-clockwise. */
function flatten(corners: readonly number[], positions: Coordinates): Flat {
  const normal: Triangle = [0, 0, 0];
  corners.forEach((corner, at) => {
    const next = corners[(at + 1) % corners.length] as number;
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const value = (vertex: number, along: number) => positions.at(3 * vertex + along) as number;
      normal[axis] =
        (normal[axis] as number) +
        (value(corner, u) - value(next, u)) * (value(corner, v) + value(next, v));
    }
  });
  const sizes = normal.map(Math.abs);
  const drop = sizes.indexOf(Math.max(...sizes));
  const [u, v] =
    (normal[drop] as number) >= 0
      ? [(drop + 1) % 3, (drop + 2) % 3]
      : [(drop + 2) % 3, (drop + 1) % 3];
  const along = (axis: number) =>
    Float64Array.from(corners, (corner) => positions.at(3 * corner + axis) as number);
  return { x: along(u), y: along(v) };
}
