import { Accessor, type Primitive } from '@gltf-transform/core';
import { compactPrimitive } from '@gltf-transform/functions';
import { MeshoptSimplifier, type SimplifierFlags } from 'meshoptimizer';
import { countPrimitiveTriangles } from './model-counts.ts';

export type SimplifyPrimitiveOptions = {
  /** Largest distance of the new surface from the old, in the units of the mesh. */
  error: number;
  flags?: readonly SimplifierFlags[];
};

/** Attributes count as surface too: a shift of the texture or a bend of the light is seen. */
const ATTRIBUTE_WEIGHTS: Record<string, number> = { NORMAL: 0.5, TEXCOORD_0: 1, COLOR_0: 0.5 };

const MIN_TRIANGLES = 32;

/** Drops triangles as far as the error allows. Vertices stay where they are, the outermost for sure. */
export function simplifyPrimitive(
  primitive: Primitive,
  { error, flags = [] }: SimplifyPrimitiveOptions,
): void {
  const indices = primitive.getIndices();
  const position = primitive.getAttribute('POSITION');
  if (primitive.getMode() !== 4 || indices === null || position === null) return;
  if (position.getComponentType() !== Accessor.ComponentType.FLOAT) return;
  if (countPrimitiveTriangles(primitive) < MIN_TRIANGLES) return;
  const positions = position.getArray() as Float32Array;
  const { attributes, stride, weights } = interleaveAttributes(primitive);
  const [kept] = MeshoptSimplifier.simplifyWithAttributes(
    new Uint32Array(indices.getArray() as Uint32Array),
    positions,
    3,
    attributes,
    stride,
    weights,
    lockExtremeVertices(positions),
    0,
    error,
    ['ErrorAbsolute', ...flags],
  );
  if (kept.length === 0 || kept.length >= indices.getCount()) return;
  primitive.setIndices(indices.clone().setArray(new Uint32Array(kept)));
  compactPrimitive(primitive);
}

/** The lowest and the highest vertex of each axis, so that the box around the model stays. */
function lockExtremeVertices(positions: Float32Array): Uint8Array {
  const locked = new Uint8Array(positions.length / 3);
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [0, 0];
    for (let at = 0; at < locked.length; at++) {
      const value = positions[at * 3 + axis] as number;
      if (value < (positions[low * 3 + axis] as number)) low = at;
      if (value > (positions[high * 3 + axis] as number)) high = at;
    }
    locked[low] = 1;
    locked[high] = 1;
  }
  return locked;
}

function interleaveAttributes(primitive: Primitive) {
  const semantics = Object.keys(ATTRIBUTE_WEIGHTS).filter((it) => primitive.getAttribute(it));
  const accessors = semantics.map((it) => primitive.getAttribute(it) as Accessor);
  const weights = accessors.flatMap((accessor, at) =>
    new Array<number>(accessor.getElementSize()).fill(
      ATTRIBUTE_WEIGHTS[semantics[at] as string] as number,
    ),
  );
  const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const attributes = new Float32Array(count * weights.length);
  const element: number[] = [];
  let column = 0;
  for (const accessor of accessors) {
    for (let at = 0; at < count; at++) {
      accessor.getElement(at, element);
      for (let part = 0; part < accessor.getElementSize(); part++) {
        attributes[at * weights.length + column + part] = element[part] as number;
      }
    }
    column += accessor.getElementSize();
  }
  return { attributes, stride: weights.length, weights };
}
