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
import type { ModelBounds } from '../camera/framing.ts';
import { ViewerError } from '../viewer-error.ts';

/** So many points describe any design well enough to frame it. */
const MAX_POINTS = 24_000;

type DrawnObject = Object3D & { geometry: Mesh['geometry'] };

/**
 * Measures what is really drawn: skins and morph targets in their present pose, every instance.
 *
 * @throws {ViewerError} empty
 */
export function measureBounds(root: Object3D): ModelBounds {
  root.updateWorldMatrix(true, true);
  const shapes: DrawnObject[] = [];
  root.traverseVisible((object) => {
    if (isDrawn(object)) shapes.push(object);
  });
  const total = shapes.reduce((sum, shape) => sum + countVertices(shape), 0);
  const stride = Math.max(1, Math.ceil(total / MAX_POINTS));

  const points: number[] = [];
  for (const shape of shapes)
    for (const { x, y, z } of samplePoints(shape, stride)) points.push(x, y, z);
  if (points.length === 0) throw new ViewerError('empty-scene');
  return toModelBounds(new Float32Array(points));
}

/** The outline of points given as x, y, z, x, y, z, … */
export function toModelBounds(points: Float32Array): ModelBounds {
  const box = new Box3().setFromArray(points as unknown as number[]);
  const center = box.getCenter(new Vector3());
  const point = new Vector3();
  let radius = 0;
  for (let index = 0; index < points.length; index += 3) {
    radius = Math.max(radius, point.fromArray(points, index).distanceTo(center));
  }
  // A single point still needs a distance to be seen from.
  const tiny = Math.max(center.length() * 1e-6, 1e-9);
  return { points, center, size: box.getSize(new Vector3()), radius: Math.max(radius, tiny) };
}

/** Boxes that differ by no more than this share of the radius are of one design. */
const MATCH_TOLERANCE = 0.04;

/** Would one camera frame both? */
export function boundsMatch(one: ModelBounds, other: ModelBounds): boolean {
  const apart = one.center.clone().sub(other.center);
  const wider = one.size.clone().sub(other.size);
  return Math.max(apart.length(), wider.length() / 2) <= MATCH_TOLERANCE * one.radius;
}

/**
 * The outline stretched to a box that it nearly fills, so that a design and its likeness are seen
 * from the very same place. As it is when the box is another's: of a skin, say, in another pose.
 */
export function fitBoundsToBox(outline: ModelBounds, { min, max }: BoundingBox): ModelBounds {
  const box = new Box3(new Vector3(...min), new Vector3(...max));
  const [center, size] = [box.getCenter(new Vector3()), box.getSize(new Vector3())];
  if (!boundsMatch(outline, { ...outline, center, size })) return outline;
  const stretch = new Vector3(
    ...(['x', 'y', 'z'] as const).map(
      (axis) => size[axis] / (outline.size[axis] || size[axis] || 1),
    ),
  );
  const points = outline.points.slice();
  const point = new Vector3();
  for (let index = 0; index < points.length; index += 3) {
    point.fromArray(points, index).sub(outline.center).multiply(stretch).add(center);
    point.toArray(points, index);
  }
  return toModelBounds(points);
}

function isDrawn(object: Object3D): object is DrawnObject {
  const { geometry } = object as Partial<DrawnObject>;
  return geometry?.attributes.position !== undefined;
}

function countVertices(shape: DrawnObject): number {
  const instances = shape instanceof InstancedMesh ? shape.count : 1;
  return (shape.geometry.attributes.position?.count ?? 0) * instances;
}

/** Every `stride`-th vertex in world space, and those furthest out along each axis. */
function* samplePoints(shape: DrawnObject, stride: number): Generator<Vector3> {
  const position = shape.geometry.attributes.position as BufferAttribute;
  const place = new Matrix4();
  const point = new Vector3();
  const indices = new Set(stride > 1 ? findExtremeVertices(position) : []);
  const instances = shape instanceof InstancedMesh ? shape.count : 1;
  const step = Math.max(1, Math.ceil(stride / instances));
  for (let index = 0; index < position.count; index += step) indices.add(index);

  for (let instance = 0; instance < instances; instance++) {
    if (shape instanceof InstancedMesh) shape.getMatrixAt(instance, place);
    for (const index of indices) {
      if (shape instanceof Mesh) shape.getVertexPosition(index, point);
      else point.fromBufferAttribute(position, index);
      point.applyMatrix4(place).applyMatrix4(shape.matrixWorld);
      if (Number.isFinite(point.x + point.y + point.z)) yield point;
    }
  }
}

/** The vertices furthest out: a thin antenna must not fall through the sampling. */
function findExtremeVertices(position: BufferAttribute): number[] {
  const furthest = [0, 0, 0, 0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let index = 0; index < position.count; index++) {
      const value = position.getComponent(index, axis);
      if (value < low) furthest[axis] = index;
      if (value > high) furthest[axis + 3] = index;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return furthest;
}
