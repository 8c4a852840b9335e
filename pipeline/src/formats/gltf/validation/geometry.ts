import type { BoundingBox } from '@cloche/contract/viewer-config';
import type { Vector3 } from '../../../mesh/matrix.ts';
import type { GltfAccessor } from './accessor.ts';
import { type AccessorScanner, getDeclaredExtent } from './accessor-scanner.ts';
import { dequantize } from './element-types.ts';
import type { GltfMesh, GltfPrimitive } from './meshes.ts';
import type { GltfNode } from './node-hierarchy.ts';

/** Checks the scanned geometry of a mesh: indices are in range, compressed positions have bounds. */
export function validateMeshGeometry({ primitives }: GltfMesh, scanner: AccessorScanner): void {
  for (const { json, vertexCount, indices, position, dracoAccessors } of primitives) {
    if (indices?.storage.kind === 'stored' || indices?.sparse !== undefined) {
      const highestIndex = scanner.findExtent(indices)?.max[0] ?? 0;
      if (highestIndex >= vertexCount) {
        json.fail('index-value', `has the index ${highestIndex}, but only ${vertexCount} vertices`);
      }
    }
    if (position === undefined) continue;
    const isCompressed = position.storage.kind === 'compressed' || dracoAccessors.has(position);
    if (isCompressed && getDeclaredExtent(position) === undefined) {
      position.json.fail('missing', 'has compressed positions but no min and max');
    }
  }
}

/** Checks that a skinned mesh uses no joint that its skin does not have. */
export function validateJoints({ json, mesh, skin }: GltfNode, scanner: AccessorScanner): void {
  if (mesh === undefined || skin === undefined) return;
  for (const joints of mesh.primitives.flatMap((primitive) => primitive.jointAccessors)) {
    const highestJoint =
      joints.storage.kind === 'compressed'
        ? 0
        : Math.max(...(scanner.findExtent(joints)?.max ?? [0]));
    if (highestJoint >= skin.jointNodes.length) {
      json.fail(
        'joint',
        `uses joint ${highestJoint}, but its skin has ${skin.jointNodes.length} joints`,
      );
    }
  }
}

/** Refuses NaN and infinity in a scanned accessor. */
export function assertFinite(accessor: GltfAccessor, scanner: AccessorScanner): void {
  if (scanner.findExtent(accessor)?.isFinite === false) {
    accessor.json.fail('not-finite', 'has numbers that are not finite');
  }
}

/** Computes the bounding box of a primitive, in the space of its mesh. Compressed positions declare it. */
export function computePrimitiveBox(
  { position, dracoAccessors }: GltfPrimitive,
  scanner: AccessorScanner,
): BoundingBox | undefined {
  if (position === undefined) return undefined;
  const isDeclared = dracoAccessors.has(position) && position.storage.kind === 'zeros';
  const extent = isDeclared ? getDeclaredExtent(position) : scanner.findExtent(position);
  if (extent === undefined) return undefined;
  return { min: toBoxCorner(extent.min, position), max: toBoxCorner(extent.max, position) };
}

function toBoxCorner(values: number[], { normalized, componentType }: GltfAccessor): Vector3 {
  const decode = (value = 0) => (normalized ? dequantize(value, componentType) : value);
  return [decode(values[0]), decode(values[1]), decode(values[2])];
}
