/**
 * Limits the valence of vertices: the number of triangles that meet in one.
 *
 * meshoptimizer takes quadratic time in the valence: a fan of 80 000 triangles took two minutes. The
 * mean valence, weighted by itself, is 6 to 10 in real models, and some vertices have some hundred
 * (the tip of a cone).
 */
import type { Accessor, Primitive } from '@gltf-transform/core';
import { isTriangleList } from './primitive-modes.ts';

/** The highest valence that is passed to meshoptimizer. */
const MAX_VALENCE = 256;
/** The highest weighted mean, and the highest valence for models that exceed this mean. */
const MAX_MEAN_VALENCE = 16;

/** Triangles as indices, three each; those that touch a position with a high valence are separate. */
type ValenceGroups = { regular: Uint32Array; crowded: Uint32Array };

/**
 * Separates the triangles that touch a position in which too many triangles meet. For the others,
 * the sum of the squared valences is at most 16 times the number of corners. Vertices at the same
 * position count as one, as in meshoptimizer's simplifier: `positionRemap` has the first of them.
 */
export function separateCrowdedTriangles(
  indices: Uint32Array,
  positionRemap: Uint32Array,
): ValenceGroups {
  const valences = countValences(indices, positionRemap.length, positionRemap);
  const maxValence = findMaxValence(valences);
  if (valences.every((valence) => valence <= maxValence)) {
    return { regular: indices, crowded: new Uint32Array(0) };
  }
  const isCrowded = (corner: number) =>
    (valences[positionRemap[indices[corner] as number] as number] as number) > maxValence;
  const groups = {
    regular: new Uint32Array(indices.length),
    crowded: new Uint32Array(indices.length),
  };
  const lengths = { regular: 0, crowded: 0 };
  for (let corner = 0; corner < indices.length; corner += 3) {
    const hasCrowdedCorner = isCrowded(corner) || isCrowded(corner + 1) || isCrowded(corner + 2);
    const group = hasCrowdedCorner ? 'crowded' : 'regular';
    for (let offset = 0; offset < 3; offset++) {
      groups[group][lengths[group] + offset] = indices[corner + offset] as number;
    }
    lengths[group] += 3;
  }
  return {
    regular: groups.regular.subarray(0, lengths.regular),
    crowded: groups.crowded.subarray(0, lengths.crowded),
  };
}

function findMaxValence(valences: Uint32Array): number {
  let [squares, corners] = [0, 0];
  for (const valence of valences) {
    corners += valence;
    if (valence <= MAX_VALENCE) squares += valence ** 2;
  }
  return squares <= MAX_MEAN_VALENCE * corners ? MAX_VALENCE : MAX_MEAN_VALENCE;
}

/** Duplicates vertices, so that at most MAX_VALENCE triangles have an index in common. */
export function splitCrowdedVertices(primitive: Primitive): void {
  const indices = primitive.getIndices();
  const vertexCount = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const array = indices?.getArray();
  if (!isTriangleList(primitive) || !indices || !array) return;
  const valences = countValences(array, vertexCount);
  if (valences.every((valence) => valence <= MAX_VALENCE)) return;

  const sources = Array.from({ length: vertexCount }, (_, vertex) => vertex);
  const current = Uint32Array.from(sources);
  const used = new Uint32Array(vertexCount);
  const split = Uint32Array.from(array, (vertex) => {
    used[vertex] = (used[vertex] as number) + 1;
    if ((used[vertex] as number) > MAX_VALENCE) {
      used[vertex] = 1;
      current[vertex] = sources.push(vertex) - 1;
    }
    return current[vertex] as number;
  });
  primitive.setIndices(indices.clone().setArray(split));
  for (const owner of [primitive, ...primitive.listTargets()]) {
    for (const semantic of owner.listSemantics()) {
      const attribute = owner.getAttribute(semantic);
      owner.setAttribute(semantic, attribute && gatherElements(attribute, sources));
    }
  }
}

/** Counts the triangles that meet in each vertex, or in each position if there is a remap. */
function countValences(
  indices: ArrayLike<number>,
  vertexCount: number,
  positionRemap?: Uint32Array,
): Uint32Array {
  const valences = new Uint32Array(vertexCount);
  for (let corner = 0; corner < indices.length; corner++) {
    const index = indices[corner] as number;
    const vertex = positionRemap ? (positionRemap[index] as number) : index;
    valences[vertex] = (valences[vertex] as number) + 1;
  }
  return valences;
}

/** Creates an accessor with these elements of another. */
function gatherElements(accessor: Accessor, sources: readonly number[]): Accessor {
  const size = accessor.getElementSize();
  const array = accessor.getArray();
  if (array === null) return accessor;
  const TypedArray = array.constructor as new (length: number) => NonNullable<typeof array>;
  const gathered = new TypedArray(sources.length * size);
  sources.forEach((source, index) => {
    gathered.set(array.subarray(source * size, (source + 1) * size), index * size);
  });
  return accessor.clone().setArray(gathered);
}
