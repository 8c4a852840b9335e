import earcut from 'earcut';
import { assertWithinLimit } from '../validation/budgets.ts';
import { VALIDATION_LIMITS } from '../validation/limits.ts';
import type { GrowableArray } from './growable-array.ts';

/** The coordinates of vertices: x, y and z of the first, then of the second, and so on. */
type PositionLookup = { at(index: number): number | undefined };

/**
 * Triangulates a polygon, convex or concave, and appends the triangles to `indices`.
 *
 * The triangles have the winding of the polygon. A polygon without area has no triangles.
 *
 * @throws {Problem} design.too-complex, for a polygon with too many corners: earcut takes quadratic
 * time for some shapes, such as spirals
 *
 * @param corners the vertices of the polygon, as indices into `positions`
 */
export function triangulatePolygon(
  indices: GrowableArray<Uint32Array>,
  corners: readonly number[],
  positions: PositionLookup,
): void {
  if (corners.length === 3) {
    indices.push3(corners[0] as number, corners[1] as number, corners[2] as number);
    return;
  }
  assertWithinLimit('polygonCorners', corners.length, VALIDATION_LIMITS);
  for (const corner of earcut(projectPolygon(corners, positions))) {
    indices.push(corners[corner] as number);
  }
}

/**
 * Projects a polygon along the axis nearest to its normal: two coordinates for each corner.
 *
 * The projection is counter-clockwise, which is the winding that earcut returns.
 */
function projectPolygon(corners: readonly number[], positions: PositionLookup): Float64Array {
  const normal = computeNewellNormal(corners, positions);
  const sizes = normal.map(Math.abs);
  const axis = sizes.indexOf(Math.max(...sizes));
  const [u, v] =
    (normal[axis] as number) >= 0
      ? [(axis + 1) % 3, (axis + 2) % 3]
      : [(axis + 2) % 3, (axis + 1) % 3];
  const projected = new Float64Array(2 * corners.length);
  corners.forEach((corner, index) => {
    projected[2 * index] = positions.at(3 * corner + u) as number;
    projected[2 * index + 1] = positions.at(3 * corner + v) as number;
  });
  return projected;
}

/** Computes the normal of a polygon with Newell's method, which also works if it is not planar. */
function computeNewellNormal(corners: readonly number[], positions: PositionLookup): number[] {
  const coordinate = (corner: number, axis: number) => positions.at(3 * corner + axis) as number;
  const normal = [0, 0, 0];
  corners.forEach((corner, index) => {
    const next = corners[(index + 1) % corners.length] as number;
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      normal[axis] =
        (normal[axis] as number) +
        (coordinate(corner, u) - coordinate(next, u)) *
          (coordinate(corner, v) + coordinate(next, v));
    }
  });
  return normal;
}
