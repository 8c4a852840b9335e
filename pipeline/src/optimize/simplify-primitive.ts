import { Accessor, type Primitive, type vec2 } from '@gltf-transform/core';
import { compactPrimitive } from '@gltf-transform/functions';
import { MeshoptSimplifier, type SimplifierFlags } from 'meshoptimizer';
import { countPrimitiveTriangles } from './model-counts.ts';
import { isTriangleList } from './primitive-modes.ts';
import { separateCrowdedTriangles } from './vertex-valence.ts';

/** Limits of a simplification. */
export type SimplifyOptions = {
  /** Largest distance of the new surface from the old, in the units of the mesh. */
  error: number;
  /** No more triangles are removed than needed for this number; default 0. */
  targetTriangles?: number;
  flags?: readonly SimplifierFlags[];
};

/** The triangles of a primitive, as meshoptimizer takes them. */
export type SimplifiableGeometry = {
  indices: Uint32Array;
  positions: Float32Array;
  attributes: Float32Array;
  /** The weight of each float of a vertex in `attributes`. */
  weights: number[];
  /** 1 for each vertex that must not be removed. */
  locked: Uint8Array;
  /** For each vertex, the first vertex at the same position. */
  positionRemap: Uint32Array;
};

/** Weights of the errors of attributes: a moved texture or a changed normal is visible too. */
const ATTRIBUTE_WEIGHTS: Record<string, number> = { NORMAL: 0.5, TEXCOORD_0: 1, COLOR_0: 0.5 };

/** A primitive with fewer triangles is not simplified. */
const MIN_TRIANGLES = 32;

/** Removes triangles within the error limit. The other vertices do not move; the bounding box is kept. */
export function simplifyPrimitive(primitive: Primitive, options: SimplifyOptions): void {
  const position = primitive.getAttribute('POSITION');
  if (position?.getComponentType() !== Accessor.ComponentType.FLOAT) return;
  const geometry = toSimplifiableGeometry(primitive);
  if (geometry) setTriangles(primitive, simplifyGeometry(geometry, options).indices);
}

/**
 * Undefined if the primitive has no triangles, or so few that none can be removed.
 *
 * @param texCoordScale what the values of `TEXCOORD_0` are multiplied by when a texture is sampled
 */
export function toSimplifiableGeometry(
  primitive: Primitive,
  texCoordScale: vec2 = [1, 1],
): SimplifiableGeometry | undefined {
  const indices = primitive.getIndices()?.getArray();
  const position = primitive.getAttribute('POSITION');
  if (!isTriangleList(primitive) || !indices || position === null) return undefined;
  if (countPrimitiveTriangles(primitive) < MIN_TRIANGLES) return undefined;
  const positions = readFloats(position);
  return {
    indices: new Uint32Array(indices),
    positions,
    ...interleaveAttributes(primitive, texCoordScale),
    locked: lockExtremeVertices(positions),
    positionRemap: MeshoptSimplifier.generatePositionRemap(positions, 3),
  };
}

/** What is left of a geometry. */
export type SimplifiedGeometry = {
  indices: Uint32Array;
  /** How far the new surface is from the old, in the units of the mesh. */
  error: number;
};

/** Removes triangles within the error limit. */
export function simplifyGeometry(
  geometry: SimplifiableGeometry,
  { error: maxError, targetTriangles = 0, flags = [] }: SimplifyOptions,
): SimplifiedGeometry {
  const { positions, attributes, weights } = geometry;
  const { regular, crowded } = separateCrowdedTriangles(geometry.indices, geometry.positionRemap);
  const locked = crowded.length === 0 ? geometry.locked : geometry.locked.slice();
  for (const vertex of crowded) locked[vertex] = 1;
  const targetIndices = Math.max(0, 3 * Math.floor(targetTriangles) - crowded.length);
  const [simplified, error] = MeshoptSimplifier.simplifyWithAttributes(
    regular,
    positions,
    3,
    attributes,
    weights.length,
    weights,
    locked,
    targetIndices,
    maxError,
    ['ErrorAbsolute', ...flags],
  );
  if (crowded.length === 0) return { indices: simplified, error };
  const indices = new Uint32Array(simplified.length + crowded.length);
  indices.set(simplified);
  indices.set(crowded, simplified.length);
  return { indices, error };
}

/** Sets fewer triangles of a primitive, and removes the vertices that they do not use. */
export function setTriangles(primitive: Primitive, triangles: Uint32Array): void {
  const indices = primitive.getIndices();
  if (indices === null || triangles.length === 0 || triangles.length >= indices.getCount()) return;
  primitive.setIndices(indices.clone().setArray(triangles.slice()));
  compactPrimitive(primitive);
}

/** Locks the vertices with the minimum and maximum of each axis, so that the bounding box is kept. */
function lockExtremeVertices(positions: Float32Array): Uint8Array {
  const locked = new Uint8Array(positions.length / 3);
  for (let axis = 0; axis < 3; axis++) {
    let [lowest, highest] = [0, 0];
    for (let vertex = 0; vertex < locked.length; vertex++) {
      const value = positions[vertex * 3 + axis] as number;
      if (value < (positions[lowest * 3 + axis] as number)) lowest = vertex;
      if (value > (positions[highest * 3 + axis] as number)) highest = vertex;
    }
    locked[lowest] = 1;
    locked[highest] = 1;
  }
  return locked;
}

function interleaveAttributes(
  primitive: Primitive,
  texCoordScale: vec2,
): Pick<SimplifiableGeometry, 'attributes' | 'weights'> {
  const weighted = Object.entries(ATTRIBUTE_WEIGHTS).flatMap(([semantic, weight]) => {
    const accessor = primitive.getAttribute(semantic);
    if (accessor === null) return [];
    const size = accessor.getElementSize();
    const scales = semantic === 'TEXCOORD_0' ? texCoordScale : new Array<number>(size).fill(1);
    const weights = scales.map((scale) => weight * Math.abs(scale));
    return [{ values: readFloats(accessor), weights, size }];
  });
  const weights = weighted.flatMap((attribute) => attribute.weights);
  const stride = weights.length;
  const [first] = weighted;
  if (first && weighted.length === 1) return { attributes: first.values, weights };
  const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const attributes = new Float32Array(count * stride);
  let column = 0;
  for (const { values, size } of weighted) {
    for (let vertex = 0; vertex < count; vertex++) {
      for (let component = 0; component < size; component++) {
        attributes[vertex * stride + column + component] = values[
          vertex * size + component
        ] as number;
      }
    }
    column += size;
  }
  return { attributes, weights };
}

/** Reads the values of an accessor. Floats are not copied. */
function readFloats(accessor: Accessor): Float32Array {
  const array = accessor.getArray();
  if (array instanceof Float32Array) return array;
  const size = accessor.getElementSize();
  const floats = new Float32Array(accessor.getCount() * size);
  const element: number[] = [];
  for (let offset = 0; offset < floats.length; offset += size) {
    floats.set(accessor.getElement(offset / size, element), offset);
  }
  return floats;
}
