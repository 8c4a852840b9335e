import type { BoundingBox } from '@cloche/contract/viewer-config';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import type { AccessorScanner, ComponentExtent } from './accessor-scanner.ts';
import { assertSameCount } from './attributes.ts';
import { dequantize, FLOAT } from './element-types.ts';
import { findExtension } from './extensions.ts';
import type { ValidationContext } from './validation-context.ts';

/** Copies of a node's mesh (EXT_mesh_gpu_instancing). */
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
          index.fail('accessor-type', `is not an accessor that can hold a ${name}`);
        }
        scanner.request(accessor);
      }
      return [name, accessor] as const;
    }),
  );
  if (attributes.size === 0) json.fail('missing', 'has no attributes');
  return { json, count: assertSameCount(json, attributes.values()), attributes };
}

/**
 * A box around all copies of `box`: exact for copies that are only moved and scaled; with rotations
 * it has room for any, since reading each instance would need three accessors side by side.
 */
export function computeInstancesBox(
  box: BoundingBox,
  { json, attributes }: GltfInstances,
  scans: AccessorScanner,
): BoundingBox {
  const translation = getValueInterval(json, attributes.get('TRANSLATION'), scans, 0);
  const scale = getValueInterval(json, attributes.get('SCALE'), scans, 1);
  const result: BoundingBox = { min: [0, 0, 0], max: [0, 0, 0] };
  const factors = [...scale.min, ...scale.max].map(Math.abs);
  const farthest = [0, 1, 2].map((axis) =>
    Math.max(Math.abs(box.min[axis] ?? 0), Math.abs(box.max[axis] ?? 0)),
  );
  const radius = Math.hypot(...farthest) * Math.max(...factors);
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
  part: JsonNode,
  accessor: GltfAccessor | undefined,
  scans: AccessorScanner,
  otherwise: number,
): ValueInterval {
  const extent = accessor && scans.findExtent(accessor);
  if (accessor === undefined || extent === undefined) {
    const all = [otherwise, otherwise, otherwise];
    return { min: all, max: all };
  }
  if (!extent.isFinite) part.fail('not-finite', 'places an instance at no finite place');
  if (!accessor.normalized) return extent;
  const real = (value: number) => dequantize(value, accessor.componentType);
  return { min: extent.min.map(real), max: extent.max.map(real) };
}
