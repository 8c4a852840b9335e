import type { BoundingBox } from '@cloche/contract/viewer-config';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import type { AccessorScanner, ComponentExtent } from './accessor-scanner.ts';
import { assertSameCount } from './attributes.ts';
import { dequantize, FLOAT } from './element-types.ts';
import { findExtension } from './extensions.ts';
import type { ValidationContext } from './validation-context.ts';

/** The instances of a node's mesh (EXT_mesh_gpu_instancing). */
export type GltfInstances = {
  readonly json: JsonNode;
  readonly count: number;
  readonly attributes: ReadonlyMap<string, GltfAccessor>;
};

const ATTRIBUTE_TYPES: Readonly<Record<string, string>> = {
  TRANSLATION: 'VEC3',
  ROTATION: 'VEC4',
  SCALE: 'VEC3',
};

/** Reads the instances of a node; undefined if it has none. */
export function parseInstances(
  node: JsonNode,
  { accessors, scanner }: ValidationContext,
): GltfInstances | undefined {
  const json = findExtension(node, 'EXT_mesh_gpu_instancing');
  if (json === undefined) return undefined;
  const entries = json.get('attributes').entries();
  const attributes = new Map(
    entries.map(([name, index]) => {
      const accessor = index.resolveIndex(accessors, 'accessors');
      const type = ATTRIBUTE_TYPES[name];
      if (type !== undefined) {
        const isNumber = accessor.componentType === FLOAT || accessor.normalized;
        if (accessor.type !== type || (!isNumber && name === 'ROTATION')) {
          index.fail('accessor-type', `is an accessor whose type is not valid for ${name}`);
        }
        scanner.requestExtent(accessor);
      }
      return [name, accessor] as const;
    }),
  );
  if (attributes.size === 0) json.fail('missing', 'has no attributes');
  return { json, count: assertSameCount(json, attributes.values()), attributes };
}

/**
 * Computes a box around all instances of `box`: exact if they are only moved and scaled. If they are
 * rotated, it is large enough for any rotation, because the rotations are not read.
 */
export function computeInstancesBox(
  box: BoundingBox,
  { json, attributes }: GltfInstances,
  scanner: AccessorScanner,
): BoundingBox {
  const translation = getValueInterval(json, attributes.get('TRANSLATION'), scanner, 0);
  const scale = getValueInterval(json, attributes.get('SCALE'), scanner, 1);
  const result: BoundingBox = { min: [0, 0, 0], max: [0, 0, 0] };
  const factors = [...scale.min, ...scale.max].map(Math.abs);
  const farthestCorner = [0, 1, 2].map((axis) =>
    Math.max(Math.abs(box.min[axis] ?? 0), Math.abs(box.max[axis] ?? 0)),
  );
  const radius = Math.hypot(...farthestCorner) * Math.max(...factors);
  const rotated = attributes.has('ROTATION');
  for (const axis of [0, 1, 2] as const) {
    const corners = [box.min[axis], box.max[axis]].flatMap((corner) => [
      corner * (scale.min[axis] ?? 1),
      corner * (scale.max[axis] ?? 1),
    ]);
    const low = rotated ? -radius : Math.min(...corners);
    const high = rotated ? radius : Math.max(...corners);
    result.min[axis] = (translation.min[axis] ?? 0) + low;
    result.max[axis] = (translation.max[axis] ?? 0) + high;
  }
  return result;
}

type ValueInterval = Pick<ComponentExtent, 'min' | 'max'>;

function getValueInterval(
  json: JsonNode,
  accessor: GltfAccessor | undefined,
  scanner: AccessorScanner,
  defaultValue: number,
): ValueInterval {
  const extent = accessor && scanner.findExtent(accessor);
  if (accessor === undefined || extent === undefined) {
    const values = [defaultValue, defaultValue, defaultValue];
    return { min: values, max: values };
  }
  if (!extent.isFinite) json.fail('not-finite', 'has instances whose numbers are not finite');
  if (!accessor.normalized) return extent;
  const decode = (value: number) => dequantize(value, accessor.componentType);
  return { min: extent.min.map(decode), max: extent.max.map(decode) };
}
