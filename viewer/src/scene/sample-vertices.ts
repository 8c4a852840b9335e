import {
  type Box3,
  type BufferAttribute,
  type BufferGeometry,
  type InterleavedBufferAttribute,
  MathUtils,
  type Matrix4,
  Mesh,
  type Object3D,
  SkinnedMesh,
  Vector3,
} from 'three';

export type MeasuredObject = Object3D & { geometry: Mesh['geometry'] };
/** An object, with the transforms of its instances. */
export type Drawing = { object: MeasuredObject; instances: readonly Matrix4[] };

/** Vertices in the space of an object, in its current pose (x, y, z, x, y, z, …), and the instances to place them. */
export type Sample = {
  object: MeasuredObject;
  vertices: Float32Array;
  instances: readonly Matrix4[];
};

/** Fewer vertices of an object are not enough, however many objects there are. */
const MIN_VERTICES = 24;

/**
 * Samples about every `stride`-th vertex of all instances together, and if some are skipped, the extreme vertices. Of many instances,
 * only some are sampled, and the outermost.
 */
export function sampleDrawing({ object, instances }: Drawing, stride: number): Sample {
  const vertices = sampleVertices(object, stride);
  const vertexCount = object.geometry.attributes.position?.count ?? 0;
  const step = Math.floor((stride * vertices.length) / 3 / vertexCount);
  if (step <= 1 || instances.length === 1) return { object, vertices, instances };
  const outermost = new Set(findOutermostInstances(object.geometry, instances));
  return {
    object,
    vertices,
    instances: instances.filter((instance, index) => index % step === 0 || outermost.has(instance)),
  };
}

/** Samples every `stride`-th vertex; of few vertices, more. */
function sampleVertices(object: MeasuredObject, stride: number): Float32Array {
  const position = object.geometry.attributes.position as BufferAttribute;
  const step = Math.max(1, Math.min(stride, Math.floor(position.count / MIN_VERTICES)));
  const extremes = step > 1 ? findExtremeVertices(position) : [];
  const count = Math.ceil(position.count / step);
  const vertices = new Float32Array(3 * (count + extremes.length));
  const read = createVertexReader(object, position);
  for (let sample = 0; sample < count; sample++) read(sample * step, vertices, 3 * sample);
  for (const [order, index] of extremes.entries()) read(index, vertices, 3 * (count + order));
  return vertices;
}

/** Returns a function that writes a vertex to an array. Only skins and morph targets need the slow one of three.js. */
function createVertexReader(object: MeasuredObject, position: BufferAttribute) {
  const isDeformed = object instanceof SkinnedMesh || object.geometry.morphAttributes.position;
  if (isDeformed && object instanceof Mesh) {
    const vertex = new Vector3();
    return (index: number, target: Float32Array, offset: number) => {
      object.getVertexPosition(index, vertex).toArray(target, offset);
    };
  }
  const { array, step, start, factor } = readLayout(position);
  return (index: number, target: Float32Array, offset: number) => {
    const source = index * step + start;
    target[offset] = (array[source] as number) * factor;
    target[offset + 1] = (array[source + 1] as number) * factor;
    target[offset + 2] = (array[source + 2] as number) * factor;
  };
}

/** Where the numbers of an attribute are in its array, and by what they must be multiplied. */
function readLayout(attribute: BufferAttribute | InterleavedBufferAttribute) {
  const { data, offset: start } = attribute as InterleavedBufferAttribute;
  const { array } = data ?? attribute;
  const factor = attribute.normalized ? MathUtils.denormalize(1, array as Float32Array) : 1;
  return { array, step: data?.stride ?? attribute.itemSize, start: start ?? 0, factor };
}

/**
 * Returns the indices of the extreme vertices. Sampling must not miss a thin antenna, nor the corners of a box: the camera would show
 * the model a few pixels larger than with another geometry, in which it does not miss them.
 */
function findExtremeVertices(position: BufferAttribute): number[] {
  const { array, step, start } = readLayout(position);
  return DIRECTIONS.flatMap(([x, y, z]) => {
    let [lowest, highest] = [0, 0];
    let [low, high] = [Infinity, -Infinity];
    for (let index = 0; index < position.count; index++) {
      const at = index * step + start;
      const value =
        x * (array[at] as number) + y * (array[at + 1] as number) + z * (array[at + 2] as number);
      if (value < low) {
        low = value;
        lowest = index;
      }
      if (value > high) {
        high = value;
        highest = index;
      }
    }
    return [lowest, highest];
  });
}

/** The axes, and the diagonals of a cube. */
const DIRECTIONS = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 1, 1],
  [1, 1, -1],
  [1, -1, 1],
  [-1, 1, 1],
] as const;

/** Returns the instances whose boxes are outermost. */
function findOutermostInstances(
  geometry: BufferGeometry,
  instances: readonly Matrix4[],
): Matrix4[] {
  if (geometry.boundingBox === null) geometry.computeBoundingBox();
  const box = geometry.boundingBox as Box3;
  const center = box.getCenter(new Vector3());
  const half = box.getSize(new Vector3()).divideScalar(2);
  return DIRECTIONS.flatMap(([x, y, z]) => {
    let [lowest, highest] = [instances[0], instances[0]];
    let [low, high] = [Infinity, -Infinity];
    for (const instance of instances) {
      const { elements } = instance;
      const project = (column: number) =>
        x * (elements[column] as number) +
        y * (elements[column + 1] as number) +
        z * (elements[column + 2] as number);
      const [a, b, c] = [project(0), project(4), project(8)];
      const middle = a * center.x + b * center.y + c * center.z + project(12);
      const extent = Math.abs(a) * half.x + Math.abs(b) * half.y + Math.abs(c) * half.z;
      if (middle - extent < low) {
        low = middle - extent;
        lowest = instance;
      }
      if (middle + extent > high) {
        high = middle + extent;
        highest = instance;
      }
    }
    return [lowest as Matrix4, highest as Matrix4];
  });
}
