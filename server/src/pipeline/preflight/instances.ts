import type { Box } from '@cloche/contract/framed';
import type { Accessor } from './accessor.ts';
import { sameCount } from './attributes.ts';
import { dequantize, FLOAT } from './element.ts';
import { findExtension } from './extensions.ts';
import type { Part } from './part.ts';
import type { Extent, Scans } from './scans.ts';
import type { Survey } from './survey.ts';

/** Copies of a node's mesh (EXT_mesh_gpu_instancing). */
export type Instances = {
  readonly part: Part;
  readonly count: number;
  readonly attributes: ReadonlyMap<string, Accessor>;
};

const TYPES: Readonly<Record<string, string>> = {
  TRANSLATION: 'VEC3',
  ROTATION: 'VEC4',
  SCALE: 'VEC3',
};

export function findInstances(node: Part, { accessors, scans }: Survey): Instances | undefined {
  const part = findExtension(node, 'EXT_mesh_gpu_instancing');
  if (part === undefined) return undefined;
  const entries = part.get('attributes').entries();
  const attributes = new Map(
    entries.map(([name, index]) => {
      const accessor = index.pick(accessors, 'accessors');
      const type = TYPES[name];
      if (type !== undefined) {
        const isNumber = accessor.componentType === FLOAT || accessor.normalized;
        if (accessor.type !== type || (!isNumber && name === 'ROTATION')) {
          index.fail('accessor-type', `is not an accessor that can hold a ${name}`);
        }
        scans.ask(accessor);
      }
      return [name, accessor] as const;
    }),
  );
  if (attributes.size === 0) part.fail('missing', 'has no attributes');
  return { part, count: sameCount(part, attributes.values()), attributes };
}

/**
 * A box around all copies of `box`: exact for copies that are only moved and scaled; with rotations
 * it has room for any, since reading each instance would need three accessors side by side.
 */
export function instancesBox(box: Box, { part, attributes }: Instances, scans: Scans): Box {
  const translation = interval(part, attributes.get('TRANSLATION'), scans, 0);
  const scale = interval(part, attributes.get('SCALE'), scans, 1);
  const result: Box = { min: [0, 0, 0], max: [0, 0, 0] };
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

type Interval = Pick<Extent, 'min' | 'max'>;

function interval(
  part: Part,
  accessor: Accessor | undefined,
  scans: Scans,
  otherwise: number,
): Interval {
  const extent = accessor && scans.extentOf(accessor);
  if (accessor === undefined || extent === undefined) {
    const all = [otherwise, otherwise, otherwise];
    return { min: all, max: all };
  }
  if (!extent.finite) part.fail('not-finite', 'places an instance at no finite place');
  if (!accessor.normalized) return extent;
  const real = (value: number) => dequantize(value, accessor.componentType);
  return { min: extent.min.map(real), max: extent.max.map(real) };
}
