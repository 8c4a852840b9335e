import type { Box } from '@cloche/contract/framed';
import {
  Box3,
  type BufferAttribute,
  InstancedMesh,
  Matrix4,
  Mesh,
  type Object3D,
  Vector3,
} from 'three';
import type { Outline } from './framing.ts';
import { Trouble } from './trouble.ts';

/** So many points describe any design well enough to frame it. */
const MAX_POINTS = 24_000;

type Shape = Object3D & { geometry: Mesh['geometry'] };

/**
 * Measures what is really drawn: skins and morph targets in their present pose, every instance.
 *
 * @throws {Trouble} empty
 */
export function measure(root: Object3D): Outline {
  root.updateWorldMatrix(true, true);
  const shapes: Shape[] = [];
  root.traverseVisible((object) => {
    if (isShape(object)) shapes.push(object);
  });
  const total = shapes.reduce((sum, shape) => sum + countOf(shape), 0);
  const stride = Math.max(1, Math.ceil(total / MAX_POINTS));

  const points: number[] = [];
  for (const shape of shapes) for (const { x, y, z } of sample(shape, stride)) points.push(x, y, z);
  if (points.length === 0) throw new Trouble('empty');
  return outlineOf(new Float32Array(points));
}

/** The outline of points given as x, y, z, x, y, z, … */
export function outlineOf(points: Float32Array): Outline {
  const box = new Box3().setFromArray(points as unknown as number[]);
  const centre = box.getCenter(new Vector3());
  const point = new Vector3();
  let radius = 0;
  for (let index = 0; index < points.length; index += 3) {
    radius = Math.max(radius, point.fromArray(points, index).distanceTo(centre));
  }
  // A single point still needs a distance to be seen from.
  const tiny = Math.max(centre.length() * 1e-6, 1e-9);
  return { points, centre, size: box.getSize(new Vector3()), radius: Math.max(radius, tiny) };
}

/** Boxes that differ by no more than this share of the radius are of one design. */
const ALIKE = 0.04;

/** Would one camera frame both? */
export function areAlike(one: Outline, other: Outline): boolean {
  const apart = one.centre.clone().sub(other.centre);
  const wider = one.size.clone().sub(other.size);
  return Math.max(apart.length(), wider.length() / 2) <= ALIKE * one.radius;
}

/**
 * The outline stretched to a box that it nearly fills, so that a design and its likeness are seen
 * from the very same place. As it is when the box is another's: of a skin, say, in another pose.
 */
export function fitToBox(outline: Outline, { min, max }: Box): Outline {
  const box = new Box3(new Vector3(...min), new Vector3(...max));
  const [centre, size] = [box.getCenter(new Vector3()), box.getSize(new Vector3())];
  if (!areAlike(outline, { ...outline, centre, size })) return outline;
  const stretch = new Vector3(
    ...(['x', 'y', 'z'] as const).map(
      (axis) => size[axis] / (outline.size[axis] || size[axis] || 1),
    ),
  );
  const points = outline.points.slice();
  const point = new Vector3();
  for (let index = 0; index < points.length; index += 3) {
    point.fromArray(points, index).sub(outline.centre).multiply(stretch).add(centre);
    point.toArray(points, index);
  }
  return outlineOf(points);
}

function isShape(object: Object3D): object is Shape {
  const { geometry } = object as Partial<Shape>;
  return geometry?.attributes.position !== undefined;
}

function countOf(shape: Shape): number {
  const instances = shape instanceof InstancedMesh ? shape.count : 1;
  return (shape.geometry.attributes.position?.count ?? 0) * instances;
}

/** Every `stride`-th vertex in world space, and those furthest out along each axis. */
function* sample(shape: Shape, stride: number): Generator<Vector3> {
  const position = shape.geometry.attributes.position as BufferAttribute;
  const place = new Matrix4();
  const point = new Vector3();
  const indices = new Set(stride > 1 ? extremes(position) : []);
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
function extremes(position: BufferAttribute): number[] {
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
