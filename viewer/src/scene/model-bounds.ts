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

/**
 * Measures all visible objects: skins and morph targets in their current pose, and every instance.
 *
 * @throws {ViewerError} empty-scene
 */
export function measureBounds(root: Object3D): ModelBounds {
  root.updateWorldMatrix(true, true);
  const objects: DrawnObject[] = [];
  root.traverseVisible((object) => {
    if (isDrawn(object)) objects.push(object);
  });
  const total = objects.reduce((sum, object) => sum + countVertices(object), 0);
  const stride = Math.max(1, Math.ceil(total / MAX_POINTS));

  const points: number[] = [];
  for (const object of objects)
    for (const { x, y, z } of samplePoints(object, stride)) points.push(x, y, z);
  if (points.length === 0) throw new ViewerError('empty-scene');
  return toModelBounds(new Float32Array(points));
}

/** Returns the bounds of points: x, y, z, x, y, z, … */
export function toModelBounds(points: Float32Array): ModelBounds {
  const box = new Box3().setFromArray(points as unknown as number[]);
  const center = box.getCenter(new Vector3());
  const point = new Vector3();
  let radius = 0;
  for (let index = 0; index < points.length; index += 3) {
    radius = Math.max(radius, point.fromArray(points, index).distanceTo(center));
  }
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

function countVertices(object: DrawnObject): number {
  const instances = object instanceof InstancedMesh ? object.count : 1;
  return (object.geometry.attributes.position?.count ?? 0) * instances;
}

/** Yields every `stride`-th vertex in world space, and if some are skipped, the extreme vertices. */
function* samplePoints(object: DrawnObject, stride: number): Generator<Vector3> {
  const position = object.geometry.attributes.position as BufferAttribute;
  const instanceMatrix = new Matrix4();
  const point = new Vector3();
  const indices = new Set(stride > 1 ? findExtremeVertices(position) : []);
  const instances = object instanceof InstancedMesh ? object.count : 1;
  const step = Math.max(1, Math.ceil(stride / instances));
  for (let index = 0; index < position.count; index += step) indices.add(index);

  for (let instance = 0; instance < instances; instance++) {
    if (object instanceof InstancedMesh) object.getMatrixAt(instance, instanceMatrix);
    for (const index of indices) {
      if (object instanceof Mesh) object.getVertexPosition(index, point);
      else point.fromBufferAttribute(position, index);
      point.applyMatrix4(instanceMatrix).applyMatrix4(object.matrixWorld);
      if (Number.isFinite(point.x + point.y + point.z)) yield point;
    }
  }
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
