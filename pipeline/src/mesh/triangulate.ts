import type { GrowableArray } from './growable-array.ts';

/** Beyond this many corners a polygon is taken as convex: cutting ears is quadratic. */
const MAX_EAR_CLIPPING_CORNERS = 256;

/** Three numbers for each vertex. */
type PositionLookup = { at(index: number): number | undefined };
type ProjectedPolygon = { x: Float64Array; y: Float64Array };

/** Cuts a polygon, convex or not, into triangles. `positions` are those of all vertices. */
export function triangulatePolygon(
  indices: GrowableArray<Uint32Array>,
  corners: readonly number[],
  positions: PositionLookup,
): void {
  if (corners.length === 3) {
    indices.push3(corners[0] as number, corners[1] as number, corners[2] as number);
    return;
  }
  for (const [a, b, c] of clipEars(corners, positions)) {
    indices.push3(corners[a] as number, corners[b] as number, corners[c] as number);
  }
}

type Triangle = [number, number, number];

function clipEars(corners: readonly number[], positions: PositionLookup): Triangle[] {
  const flat = projectPolygon(corners, positions);
  const left = corners.map((_, at) => at);
  const isConvex = left.every((at) => {
    const count = left.length;
    return signedDoubleArea(flat, (at + count - 1) % count, at, (at + 1) % count) >= 0;
  });
  if (isConvex || corners.length > MAX_EAR_CLIPPING_CORNERS) return triangulateFan(left);
  const triangles: Triangle[] = [];
  while (left.length > 3) {
    const ear = findEar(flat, left);
    if (ear === undefined) break;
    triangles.push(getCornerTriangle(left, ear));
    left.splice(ear, 1);
  }
  return [...triangles, ...triangulateFan(left)];
}

function triangulateFan(left: readonly number[]): Triangle[] {
  return left.slice(2).map((corner, at) => [left[0] as number, left[at + 1] as number, corner]);
}

function getCornerTriangle(left: readonly number[], at: number): Triangle {
  const count = left.length;
  return [
    left[(at + count - 1) % count] as number,
    left[at] as number,
    left[(at + 1) % count] as number,
  ];
}

/** The first corner that can be cut off: it bends inwards and no other corner lies in its triangle. */
function findEar(flat: ProjectedPolygon, left: readonly number[]): number | undefined {
  const found = left.findIndex((_, at) => {
    const [a, b, c] = getCornerTriangle(left, at);
    if (signedDoubleArea(flat, a, b, c) <= 0) return false;
    return !left.some((p) => p !== a && p !== b && p !== c && isInside(flat, p, [a, b, c]));
  });
  return found < 0 ? undefined : found;
}

function isInside(flat: ProjectedPolygon, point: number, [a, b, c]: Triangle): boolean {
  return (
    signedDoubleArea(flat, a, b, point) >= 0 &&
    signedDoubleArea(flat, b, c, point) >= 0 &&
    signedDoubleArea(flat, c, a, point) >= 0
  );
}

/** Twice the area of a triangle, positive when counter-clockwise. */
function signedDoubleArea({ x, y }: ProjectedPolygon, a: number, b: number, c: number): number {
  const [ax, ay] = [x[a] as number, y[a] as number];
  return (
    ((x[b] as number) - ax) * ((y[c] as number) - ay) -
    ((y[b] as number) - ay) * ((x[c] as number) - ax)
  );
}

/** Drops the axis along which the polygon is thinnest, by its Newell normal; keeps it counter-clockwise. */
function projectPolygon(corners: readonly number[], positions: PositionLookup): ProjectedPolygon {
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
