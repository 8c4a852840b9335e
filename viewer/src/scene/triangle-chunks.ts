import type { BufferAttribute, BufferGeometry, InterleavedBufferAttribute, Ray } from 'three';

/** Triangles of one chunk. Consecutive triangles are close to each other: the optimizer sorts them for the GPU. */
const CHUNK_TRIANGLES = 256;

/**
 * Runs of consecutive triangles of a geometry with their bounding boxes. A ray is tested against the boxes first, so that
 * only few of millions of triangles are.
 */
export class TriangleChunks {
  /** Minimum and maximum of x, y and z of each chunk. */
  readonly #boxes: Float32Array;
  readonly #vertexCount: number;

  constructor({ index, attributes }: BufferGeometry) {
    const position = attributes.position as BufferAttribute | InterleavedBufferAttribute;
    this.#vertexCount = (index ?? position).count;
    const chunkVertices = CHUNK_TRIANGLES * 3;
    const chunks = Math.ceil(this.#vertexCount / chunkVertices);
    this.#boxes = new Float32Array(chunks * 6);
    for (let chunk = 0; chunk < chunks; chunk++) {
      const start = chunk * chunkVertices;
      const end = Math.min(start + chunkVertices, this.#vertexCount);
      measureChunk({ index, position, start, end }, this.#boxes.subarray(chunk * 6, chunk * 6 + 6));
    }
  }

  /** Whether a geometry has so many triangles that the boxes save time. */
  static areUseful({ index, attributes }: BufferGeometry): boolean {
    return ((index ?? attributes.position)?.count ?? 0) > CHUNK_TRIANGLES * 3 * 8;
  }

  /** Yields the index ranges of the chunks that a ray may hit, in the coordinates of the geometry. */
  *find(ray: Ray): Generator<{ start: number; count: number }> {
    for (let chunk = 0; chunk * 6 < this.#boxes.length; chunk++) {
      if (!intersectsBox(ray, this.#boxes, chunk * 6)) continue;
      const start = chunk * CHUNK_TRIANGLES * 3;
      yield { start, count: Math.min(CHUNK_TRIANGLES * 3, this.#vertexCount - start) };
    }
  }
}

type ChunkVertices = {
  index: BufferAttribute | null;
  position: BufferAttribute | InterleavedBufferAttribute;
  start: number;
  end: number;
};

function measureChunk({ index, position, start, end }: ChunkVertices, box: Float32Array): void {
  const indices = index?.array;
  const getCoordinate = createReader(position);
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let vertex = start; vertex < end; vertex++) {
      const at = indices === undefined ? vertex : (indices[vertex] as number);
      const value = getCoordinate(at, axis);
      if (value < low) low = value;
      if (value > high) high = value;
    }
    box[axis] = low;
    box[axis + 3] = high;
  }
}

/** Reading the array directly is three times as fast as `getComponent`, where it is possible. */
function createReader(
  position: ChunkVertices['position'],
): (vertex: number, axis: number) => number {
  if ('data' in position || position.normalized)
    return (at, axis) => position.getComponent(at, axis);
  const { array, itemSize } = position;
  return (at, axis) => array[at * itemSize + axis] as number;
}

/** The slab test. A ray parallel to two sides of the box divides by zero, which gives the right infinities. */
function intersectsBox({ origin, direction }: Ray, boxes: Float32Array, offset: number): boolean {
  let near = 0;
  let far = Infinity;
  for (let axis = 0; axis < 3; axis++) {
    const start = origin.getComponent(axis);
    const inverse = 1 / direction.getComponent(axis);
    const low = ((boxes[offset + axis] as number) - start) * inverse;
    const high = ((boxes[offset + axis + 3] as number) - start) * inverse;
    // Comparisons with NaN are false: a ray in the plane of a side stays a candidate.
    const [first, last] = low < high ? [low, high] : [high, low];
    if (first > near) near = first;
    if (last < far) far = last;
  }
  return near <= far * (1 + 1e-6) + 1e-9;
}
