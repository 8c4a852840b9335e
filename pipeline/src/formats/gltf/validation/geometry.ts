import type { BoundingBox } from '@cloche/contract/viewer-config';
import type { Vector3 } from '../../../mesh/matrix.ts';
import type { GltfAccessor } from './accessor.ts';
import { type AccessorScanner, getDeclaredExtent } from './accessor-scanner.ts';
import { dequantize } from './element-types.ts';
import type { GltfMesh, GltfPrimitive } from './meshes.ts';

/** Judges what the scans found in a mesh: every index has its vertex, every position is somewhere. */
export function validateMeshGeometry({ primitives }: GltfMesh, scans: AccessorScanner): void {
  for (const { json, vertexCount, indices, position, dracoAccessors } of primitives) {
    if (indices?.storage.kind === 'stored' || indices?.sparse !== undefined) {
      const highest = scans.findExtent(indices)?.max[0] ?? 0;
      if (highest >= vertexCount) {
        json.fail('index-value', `has the index ${highest}, but ${vertexCount} vertices`);
      }
    }
    if (position === undefined) continue;
    const isHidden = position.storage.kind === 'compressed' || dracoAccessors.has(position);
    if (isHidden && getDeclaredExtent(position) === undefined) {
      position.json.fail('missing', 'has compressed positions but no min and max');
    }
  }
}

/** Refuses NaN and infinities in a scanned accessor. */
export function assertFinite(accessor: GltfAccessor, scans: AccessorScanner): void {
  if (scans.findExtent(accessor)?.isFinite === false) {
    accessor.json.fail('not-finite', 'has numbers that are not finite');
  }
}

/** The box around a primitive in its own space: seen, or where it is compressed, declared. */
export function computePrimitiveBox(
  { position, dracoAccessors }: GltfPrimitive,
  scans: AccessorScanner,
): BoundingBox | undefined {
  if (position === undefined) return undefined;
  const isDeclared = dracoAccessors.has(position) && position.storage.kind === 'zeros';
  const extent = isDeclared ? getDeclaredExtent(position) : scans.findExtent(position);
  if (extent === undefined) return undefined;
  return { min: toBoxCorner(extent.min, position), max: toBoxCorner(extent.max, position) };
}

function toBoxCorner(numbers: number[], { normalized, componentType }: GltfAccessor): Vector3 {
  const real = (value = 0) => (normalized ? dequantize(value, componentType) : value);
  return [real(numbers[0]), real(numbers[1]), real(numbers[2])];
}
