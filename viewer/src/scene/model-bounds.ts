import type { BoundingBox } from '@cloche/contract/viewer-config';
import { Box3, InstancedMesh, Matrix4, type Object3D, Vector3 } from 'three';
import { ViewerError } from '../viewer-error.ts';
import { type Drawing, type MeasuredObject, sampleDrawing } from './sample-vertices.ts';

/** The position and the extents of a model. */
export type ModelBounds = {
  /** A sample of its vertices, or its framing points, in world space: x, y, z, x, y, z, … */
  points: Float32Array;
  /** Center of the box around the points. */
  center: Vector3;
  /** Extents of the box around the points. */
  size: Vector3;
  /** Radius of the sphere around `center` that contains all points. */
  radius: number;
};

/** About this many points are enough to frame any model. */
const MAX_POINTS = 24_000;

const IDENTITY: readonly Matrix4[] = [new Matrix4()];
const TRANSFORM = new Matrix4();

/**
 * Measures all visible objects: skins and morph targets in their current pose, and every instance.
 *
 * @throws {ViewerError} empty-scene
 */
export function measureBounds(root: Object3D): ModelBounds {
  root.updateWorldMatrix(true, true);
  const drawings: Drawing[] = [];
  root.traverseVisible((object) => {
    if (isDrawn(object)) drawings.push({ object, instances: listInstances(object) });
  });
  const bounds = measureDrawings(drawings);
  if (bounds === undefined) throw new ViewerError('empty-scene');
  return bounds;
}

/** Measures objects in their current pose. Undefined if they have no points. */
export function measureDrawings(drawings: readonly Drawing[]): ModelBounds | undefined {
  const total = drawings.reduce((sum, drawing) => sum + countVertices(drawing), 0);
  const stride = Math.max(1, Math.ceil(total / MAX_POINTS));
  const samples = drawings.map((drawing) => sampleDrawing(drawing, stride));
  const points = new Float32Array(
    samples.reduce((sum, { vertices, instances }) => sum + vertices.length * instances.length, 0),
  );
  let length = 0;
  for (const { object, vertices, instances } of samples)
    for (const instance of instances) {
      TRANSFORM.multiplyMatrices(object.matrixWorld, instance);
      length = addPoints(points, length, vertices, TRANSFORM.elements);
    }
  return length > 0 ? toModelBounds(points.subarray(0, length)) : undefined;
}

function listInstances(object: Object3D): readonly Matrix4[] {
  if (!(object instanceof InstancedMesh)) return IDENTITY;
  return Array.from({ length: object.count }, (_, index) => {
    const matrix = new Matrix4();
    object.getMatrixAt(index, matrix);
    return matrix;
  });
}

/** Returns the bounds of points: x, y, z, x, y, z, … The loops are plain: they run once, before the first frame. */
export function toModelBounds(points: Float32Array): ModelBounds {
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ] as [Point, Point];
  for (let index = 0; index < points.length; index++) {
    const value = points[index] as number;
    const axis = index % 3;
    if (value < (low[axis] as number)) low[axis] = value;
    if (value > (high[axis] as number)) high[axis] = value;
  }
  const box = new Box3(new Vector3(...low), new Vector3(...high));
  const center = box.getCenter(new Vector3());
  const { x: centerX, y: centerY, z: centerZ } = center;
  let squaredRadius = 0;
  for (let index = 0; index < points.length; index += 3) {
    const x = (points[index] as number) - centerX;
    const y = (points[index + 1] as number) - centerY;
    const z = (points[index + 2] as number) - centerZ;
    const squared = x * x + y * y + z * z;
    if (squared > squaredRadius) squaredRadius = squared;
  }
  const radius = Math.sqrt(squaredRadius);
  // The radius of a single point must not be 0: the distance of the camera depends on it.
  const minRadius = Math.max(center.length() * 1e-6, 1e-9);
  return { points, center, size: box.getSize(new Vector3()), radius: Math.max(radius, minRadius) };
}

/** Adds vertices that a matrix has transformed to points, without those that are not numbers. Returns the new length. */
function addPoints(
  points: Float32Array,
  length: number,
  vertices: Float32Array,
  matrix: ArrayLike<number>,
): number {
  const row = (first: number) =>
    [0, 4, 8, 12].map((column) => matrix[first + column] as number) as Row;
  const [[xx, xy, xz, x0], [yx, yy, yz, y0], [zx, zy, zz, z0]] = [row(0), row(1), row(2)];
  let end = length;
  for (let index = 0; index < vertices.length; index += 3) {
    const x = vertices[index] as number;
    const y = vertices[index + 1] as number;
    const z = vertices[index + 2] as number;
    const worldX = xx * x + xy * y + xz * z + x0;
    const worldY = yx * x + yy * y + yz * z + y0;
    const worldZ = zx * x + zy * y + zz * z + z0;
    if (!Number.isFinite(worldX + worldY + worldZ)) continue;
    points[end] = worldX;
    points[end + 1] = worldY;
    points[end + 2] = worldZ;
    end += 3;
  }
  return end;
}

type Row = [number, number, number, number];

type Point = [number, number, number];

/** Bounds that differ by at most this share of the radius belong to the same design. */
const MATCH_TOLERANCE = 0.04;

/** Whether two models can be shown from the same camera position. */
export function boundsMatch(a: ModelBounds, b: ModelBounds): boolean {
  const centerOffset = a.center.clone().sub(b.center);
  const sizeDifference = a.size.clone().sub(b.size);
  return Math.max(centerOffset.length(), sizeDifference.length() / 2) <= MATCH_TOLERANCE * a.radius;
}

/**
 * Stretches the bounds to a box that they nearly fill, so that the camera has exactly the same position
 * for the preview and for the model. Bounds that do not match the box are returned unchanged, for
 * example those of a skinned model in another pose.
 */
export function fitBoundsToBox(bounds: ModelBounds, { min, max }: BoundingBox): ModelBounds {
  const box = new Box3(new Vector3(...min), new Vector3(...max));
  const [center, size] = [box.getCenter(new Vector3()), box.getSize(new Vector3())];
  if (!boundsMatch(bounds, { ...bounds, center, size })) return bounds;
  const stretch = new Vector3(
    ...(['x', 'y', 'z'] as const).map(
      (axis) => size[axis] / (bounds.size[axis] || size[axis] || 1),
    ),
  );
  const points = bounds.points.slice();
  const [from, factors, to] = [bounds.center, stretch, center].map((vector) =>
    vector.toArray(),
  ) as [Point, Point, Point];
  for (let index = 0; index < points.length; index++) {
    const axis = index % 3;
    const offset = (points[index] as number) - (from[axis] as number);
    points[index] = offset * (factors[axis] as number) + (to[axis] as number);
  }
  return toModelBounds(points);
}

function isDrawn(object: Object3D): object is MeasuredObject {
  const { geometry } = object as Partial<MeasuredObject>;
  return geometry?.attributes.position !== undefined;
}

function countVertices({ object, instances }: Drawing): number {
  return (object.geometry.attributes.position?.count ?? 0) * instances.length;
}
