import {
  Accessor,
  type Document,
  type Primitive,
  type PrimitiveTarget,
} from '@gltf-transform/core';

const { FLOAT, UNSIGNED_BYTE } = Accessor.ComponentType;

type AttributeHolder = Primitive | PrimitiveTarget;

/** Rounds colours, joints, weights and the normals of morph targets to the bytes they need. */
export function quantizeOtherAttributes(document: Document): void {
  const done = new Map<Accessor, Accessor>();
  const each = (
    holder: AttributeHolder,
    round: (semantic: string, it: Accessor) => Accessor | undefined,
  ) => {
    for (const semantic of holder.listSemantics()) {
      const source = holder.getAttribute(semantic) as Accessor;
      const rounded = done.get(source) ?? round(semantic, source);
      if (rounded === undefined) continue;
      done.set(source, rounded);
      holder.setAttribute(semantic, rounded);
    }
  };
  for (const primitive of document
    .getRoot()
    .listMeshes()
    .flatMap((it) => it.listPrimitives())) {
    each(primitive, (semantic, it) => {
      if (semantic.startsWith('JOINTS_')) return quantizeJoints(it);
      if (semantic.startsWith('WEIGHTS_')) return quantizeWeights(primitive, semantic, it);
      return semantic.startsWith('COLOR_') ? quantizeColours(it) : undefined;
    });
    for (const target of primitive.listTargets()) {
      each(target, (semantic, it) =>
        semantic === 'NORMAL' || semantic === 'TANGENT' ? quantizeNormalDeltas(it) : undefined,
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

/** Weights must sum to one: what rounding took or gave, the largest bears. */
function quantizeWeights(
  primitive: Primitive,
  semantic: string,
  source: Accessor,
): Accessor | undefined {
  if (source.getComponentType() === UNSIGNED_BYTE) return undefined;
  // More than four influences are summed over several attributes: leave those as they are.
  if (semantic !== 'WEIGHTS_0' || primitive.getAttribute('WEIGHTS_1')) return undefined;
  const bytes = new Uint8Array(source.getCount() * 4);
  const weights: number[] = [];
  for (let at = 0; at < source.getCount(); at++) {
    source.getElement(at, weights);
    const sum = weights.reduce((total, weight) => total + weight, 0) || 1;
    const whole = weights.map((weight) => Math.round((255 * weight) / sum));
    const largest = whole.indexOf(Math.max(...whole));
    const rest = 255 - whole.reduce((total, part) => total + part, 0);
    whole[largest] = (whole[largest] ?? 0) + rest;
    bytes.set(whole, at * 4);
  }
  return source.clone().setArray(bytes).setNormalized(true);
}

function quantizeColours(source: Accessor): Accessor | undefined {
  if (source.getComponentType() === UNSIGNED_BYTE) return undefined;
  const bytes = new Uint8Array(source.getCount() * source.getElementSize());
  const colour: number[] = [];
  for (let at = 0; at < source.getCount(); at++) {
    source.getElement(at, colour);
    // Brighter than white is allowed, and lost in a byte.
    if (colour.some((part) => part < 0 || part > 1)) return undefined;
    bytes.set(
      colour.map((part) => Math.round(255 * part)),
      at * colour.length,
    );
  }
  return source.clone().setArray(bytes).setNormalized(true);
}

/** Differences of directions; those longer than one have no room in normalized bytes. */
function quantizeNormalDeltas(source: Accessor): Accessor | undefined {
  const floats = source.getArray();
  if (floats === null || source.getComponentType() !== FLOAT) return undefined;
  const bytes = new Int8Array(floats.length);
  for (let at = 0; at < floats.length; at++) {
    const turn = floats[at] as number;
    if (Math.abs(turn) > 1) return undefined;
    bytes[at] = Math.round(127 * turn);
  }
  return source.clone().setArray(bytes).setNormalized(true);
}
