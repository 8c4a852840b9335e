import {
  Accessor,
  type Document,
  type Primitive,
  type PrimitiveTarget,
} from '@gltf-transform/core';
import { createNormalized } from './normalized-accessor.ts';
import { quantizeColors } from './vertex-colors.ts';

const { FLOAT, UNSIGNED_BYTE } = Accessor.ComponentType;

type QuantizeAttribute = (semantic: string, source: Accessor) => Accessor | undefined;

/** Quantizes joints, weights, and the normals and tangents of morph targets to bytes, and vertex colors to bytes or 16 bits. */
export function quantizeByteAttributes(document: Document): void {
  const quantizedAccessors = new Map<Accessor, Accessor>();
  const quantizeAttributes = (
    owner: Primitive | PrimitiveTarget,
    quantizeAttribute: QuantizeAttribute,
  ) => {
    for (const semantic of owner.listSemantics()) {
      const source = owner.getAttribute(semantic) as Accessor;
      const quantized = quantizedAccessors.get(source) ?? quantizeAttribute(semantic, source);
      if (quantized === undefined) continue;
      quantizedAccessors.set(source, quantized);
      owner.setAttribute(semantic, quantized);
    }
  };
  const meshes = document.getRoot().listMeshes();
  for (const primitive of meshes.flatMap((mesh) => mesh.listPrimitives())) {
    quantizeAttributes(primitive, (semantic, source) => {
      if (semantic.startsWith('JOINTS_')) return quantizeJoints(source);
      if (semantic.startsWith('WEIGHTS_')) return quantizeWeights(primitive, semantic, source);
      return semantic.startsWith('COLOR_') ? quantizeColors(source) : undefined;
    });
    for (const target of primitive.listTargets()) {
      quantizeAttributes(target, (semantic, source) =>
        semantic === 'NORMAL' || semantic === 'TANGENT' ? quantizeNormalDeltas(source) : undefined,
      );
    }
  }
}

function quantizeJoints(source: Accessor): Accessor | undefined {
  const array = source.getArray();
  if (array === null || array instanceof Uint8Array) return undefined;
  if (array.some((joint) => joint > 255)) return undefined;
  return source.clone().setArray(new Uint8Array(array));
}

/** Quantizes skin weights. Their sum must be one, so the largest weight absorbs the rounding error. */
function quantizeWeights(
  primitive: Primitive,
  semantic: string,
  source: Accessor,
): Accessor | undefined {
  if (source.getComponentType() === UNSIGNED_BYTE) return undefined;
  // With more than four joints per vertex, several attributes share the sum; they are not quantized.
  if (semantic !== 'WEIGHTS_0' || primitive.getAttribute('WEIGHTS_1')) return undefined;
  const bytes = new Uint8Array(source.getCount() * 4);
  const weights: number[] = [];
  for (let index = 0; index < source.getCount(); index++) {
    source.getElement(index, weights);
    const sum = weights.reduce((total, weight) => total + weight, 0) || 1;
    const rounded = weights.map((weight) => Math.round((255 * weight) / sum));
    const largest = rounded.indexOf(Math.max(...rounded));
    const roundingError = 255 - rounded.reduce((total, weight) => total + weight, 0);
    rounded[largest] = (rounded[largest] ?? 0) + roundingError;
    bytes.set(rounded, index * 4);
  }
  return createNormalized(source, bytes);
}

/** Quantizes the deltas of normals or tangents, unless one is too large for normalized bytes. */
function quantizeNormalDeltas(source: Accessor): Accessor | undefined {
  const floats = source.getArray();
  if (floats === null || source.getComponentType() !== FLOAT) return undefined;
  const bytes = new Int8Array(floats.length);
  for (let index = 0; index < floats.length; index++) {
    const delta = floats[index] as number;
    if (Math.abs(delta) > 1) return undefined;
    bytes[index] = Math.round(127 * delta);
  }
  return createNormalized(source, bytes);
}
