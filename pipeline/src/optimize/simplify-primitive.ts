import { Accessor, type Primitive } from '@gltf-transform/core';
import { compactPrimitive } from '@gltf-transform/functions';
import { MeshoptSimplifier, type SimplifierFlags } from 'meshoptimizer';
import { countPrimitiveTriangles } from './model-counts.ts';
import { isTriangleList } from './primitive-modes.ts';
import { separateCrowdedTriangles } from './vertex-valence.ts';

type SimplifyPrimitiveOptions = {
  /** Largest distance of the new surface from the old, in the units of the mesh. */
  error: number;
  flags?: readonly SimplifierFlags[];
};

/** Weights of the errors of attributes: a moved texture or a changed normal is visible too. */
const ATTRIBUTE_WEIGHTS: Record<string, number> = { NORMAL: 0.5, TEXCOORD_0: 1, COLOR_0: 0.5 };

/** A primitive with fewer triangles is not simplified. */
const MIN_TRIANGLES = 32;

/** Removes triangles within the error limit. The other vertices do not move; the bounding box is kept. */
export function simplifyPrimitive(
  primitive: Primitive,
  { error, flags = [] }: SimplifyPrimitiveOptions,
): void {
  const indices = primitive.getIndices();
  const position = primitive.getAttribute('POSITION');
  if (!isTriangleList(primitive) || indices === null || position === null) return;
  if (position.getComponentType() !== Accessor.ComponentType.FLOAT) return;
  if (countPrimitiveTriangles(primitive) < MIN_TRIANGLES) return;
  const positions = position.getArray() as Float32Array<ArrayBuffer>;
  const { attributes, stride, weights } = interleaveAttributes(primitive);
  const { regular, crowded } = separateCrowdedTriangles(
    new Uint32Array(indices.getArray() as Uint32Array),
    positions,
  );
  const locked = lockExtremeVertices(positions);
  for (const vertex of crowded) locked[vertex] = 1;
  const [simplified] = MeshoptSimplifier.simplifyWithAttributes(
    regular,
    positions,
    3,
    attributes,
    stride,
    weights,
    locked,
    0,
    error,
    ['ErrorAbsolute', ...flags],
  );
  const length = simplified.length + crowded.length;
  if (length === 0 || length >= indices.getCount()) return;
  const array = new Uint32Array(length);
  array.set(simplified);
  array.set(crowded, simplified.length);
  primitive.setIndices(indices.clone().setArray(array));
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

function interleaveAttributes(primitive: Primitive) {
  const weighted = Object.entries(ATTRIBUTE_WEIGHTS).flatMap(([semantic, weight]) => {
    const accessor = primitive.getAttribute(semantic);
    return accessor ? [{ accessor, weight, size: accessor.getElementSize() }] : [];
  });
  const weights = weighted.flatMap(({ weight, size }) => new Array<number>(size).fill(weight));
  const stride = weights.length;
  const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const attributes = new Float32Array(count * stride);
  const element: number[] = [];
  let column = 0;
  for (const { accessor, size } of weighted) {
    for (let vertex = 0; vertex < count; vertex++) {
      accessor.getElement(vertex, element);
      for (let component = 0; component < size; component++) {
        attributes[vertex * stride + column + component] = element[component] as number;
      }
    }
    column += size;
  }
  return { attributes, stride, weights };
}
