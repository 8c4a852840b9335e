import type { BoundingBox } from '@cloche/contract/viewer-config';
import {
  Box3,
  type BufferAttribute,
  InstancedMesh,
  Matrix4,
  Mesh,
  type Object3D,
  Vector3,
} from 'three';
import { ViewerError } from '../viewer-error.ts';

/** The position and the extents of a model. */
export type ModelBounds = {
  /** A sample of its vertices in world space: x, y, z, x, y, z, … */
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

type DrawnObject = Object3D & { geometry: Mesh['geometry'] };
/** An object, with the transforms of its instances. */
export type Drawing = { object: DrawnObject; instances: readonly Matrix4[] };

const IDENTITY: readonly Matrix4[] = [new Matrix4()];

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
  const points: number[] = [];
  for (const drawing of drawings) addPoints(drawing, stride, points);
  return points.length > 0 ? toModelBounds(new Float32Array(points)) : undefined;
}

function listInstances(object: Object3D): readonly Matrix4[] {
  if (!(object instanceof InstancedMesh)) return IDENTITY;
  return Array.from({ length: object.count }, (_, index) => {
    const matrix = new Matrix4();
    object.getMatrixAt(index, matrix);
    return matrix;
  });
}

/** Returns the bounds of points: x, y, z, x, y, z, … */
export function toModelBounds(points: Float32Array): ModelBounds {
  const box = new Box3().setFromArray(points as unknown as number[]);
  const center = box.getCenter(new Vector3());
  const point = new Vector3();
  let squaredRadius = 0;
  for (let index = 0; index < points.length; index += 3) {
    const squared = point.fromArray(points, index).distanceToSquared(center);
    squaredRadius = Math.max(squaredRadius, squared);
  }
  const radius = Math.sqrt(squaredRadius);
  // The radius of a single point must not be 0: the distance of the camera depends on it.
  const minRadius = Math.max(center.length() * 1e-6, 1e-9);
  return { points, center, size: box.getSize(new Vector3()), radius: Math.max(radius, minRadius) };
}

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
  const point = new Vector3();
  for (let index = 0; index < points.length; index += 3) {
    point.fromArray(points, index).sub(bounds.center).multiply(stretch).add(center);
    point.toArray(points, index);
  }
  return toModelBounds(points);
}

function isDrawn(object: Object3D): object is DrawnObject {
  const { geometry } = object as Partial<DrawnObject>;
  return geometry?.attributes.position !== undefined;
}

function countVertices({ object, instances }: Drawing): number {
  return (object.geometry.attributes.position?.count ?? 0) * instances.length;
}

/** Adds every `stride`-th vertex in world space, and if some are skipped, the extreme vertices. */
function addPoints({ object, instances }: Drawing, stride: number, points: number[]): void {
  const vertices = sampleVertices(object, stride, instances.length);
  const transform = new Matrix4();
  const point = new Vector3();
  for (const instance of instances) {
    transform.multiplyMatrices(object.matrixWorld, instance);
    for (let index = 0; index < vertices.length; index += 3) {
      const { x, y, z } = point.fromArray(vertices, index).applyMatrix4(transform);
      if (Number.isFinite(x + y + z)) points.push(x, y, z);
    }
  }
}

/**
 * Returns vertices in the space of the object, in its current pose: x, y, z, x, y, z, … The more instances it has, the fewer are
 * needed of each.
 */
function sampleVertices(object: DrawnObject, stride: number, instanceCount: number): number[] {
  const position = object.geometry.attributes.position as BufferAttribute;
  const indices = new Set(stride > 1 ? findExtremeVertices(position) : []);
  const step = Math.max(1, Math.ceil(stride / instanceCount));
  for (let index = 0; index < position.count; index += step) indices.add(index);
  const vertices: number[] = [];
  const vertex = new Vector3();
  for (const index of indices) {
    if (object instanceof Mesh) object.getVertexPosition(index, vertex);
    else vertex.fromBufferAttribute(position, index);
    vertices.push(vertex.x, vertex.y, vertex.z);
  }
  return vertices;
}

/** Returns the indices of the extreme vertices along each axis: sampling must not miss a thin antenna. */
function findExtremeVertices(position: BufferAttribute): number[] {
  const extremes = [0, 0, 0, 0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let index = 0; index < position.count; index++) {
      const value = position.getComponent(index, axis);
      if (value < low) extremes[axis] = index;
      if (value > high) extremes[axis + 3] = index;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return extremes;
}
