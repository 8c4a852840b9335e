import type { Box } from '@cloche/contract/framed';
import type { Accessor } from './accessor.ts';
import { dequantize } from './element.ts';
import type { Vector } from './matrix.ts';
import type { Mesh, Primitive } from './meshes.ts';
import { declaredExtent, type Scans } from './scans.ts';

/** Judges what the scans found in a mesh: every index has its vertex, every position is somewhere. */
export function checkGeometry({ primitives }: Mesh, scans: Scans): void {
  for (const { part, vertices, indices, position, unpacked } of primitives) {
    if (indices?.base.kind === 'values' || indices?.sparse !== undefined) {
      const highest = scans.extentOf(indices)?.max[0] ?? 0;
      if (highest >= vertices) {
        part.fail('index-value', `has the index ${highest}, but ${vertices} vertices`);
      }
    }
    if (position === undefined) continue;
    const isHidden = position.base.kind === 'packed' || unpacked.has(position);
    if (isHidden && declaredExtent(position) === undefined) {
      position.part.fail('missing', 'has compressed positions but no min and max');
    }
  }
}

/** Refuses NaN and infinities in a scanned accessor. */
export function checkFinite(accessor: Accessor, scans: Scans): void {
  if (scans.extentOf(accessor)?.finite === false) {
    accessor.part.fail('not-finite', 'has numbers that are not finite');
  }
}

/** The box around a primitive in its own space: seen, or where it is compressed, declared. */
export function primitiveBox({ position, unpacked }: Primitive, scans: Scans): Box | undefined {
  if (position === undefined) return undefined;
  const isDeclared = unpacked.has(position) && position.base.kind === 'empty';
  const extent = isDeclared ? declaredExtent(position) : scans.extentOf(position);
  if (extent === undefined) return undefined;
  return { min: toVector(extent.min, position), max: toVector(extent.max, position) };
}

function toVector(numbers: number[], { normalized, componentType }: Accessor): Vector {
  const real = (value = 0) => (normalized ? dequantize(value, componentType) : value);
  return [real(numbers[0]), real(numbers[1]), real(numbers[2])];
}
