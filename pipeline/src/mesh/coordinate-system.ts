import type { ProcessingWarning } from '@cloche/contract/design';
import type { MeshGeometry } from './mesh-geometry.ts';

/** The unit and the up axis of a source file, relative to meters with Y up. */
export type CoordinateSystem = { metersPerUnit: number; upAxis: 'y' | 'z' };

/** Converts positions and normals, in place, to meters with Y up. */
export function toGltfSpace(
  geometry: MeshGeometry,
  coordinateSystem: CoordinateSystem,
): MeshGeometry {
  transformTriples(geometry.positions, coordinateSystem);
  if (geometry.normals) {
    transformTriples(geometry.normals, { ...coordinateSystem, metersPerUnit: 1 });
  }
  return geometry;
}

/** Returns the warning of a format that specifies neither a unit nor an up axis. */
export function unitsAssumedWarning(
  formatName: string,
  unit: 'meters' | 'millimeters',
  upAxis: 'Y' | 'Z',
): ProcessingWarning {
  return {
    code: 'units.assumed',
    message: `${formatName} files do not specify a unit or an up axis: ${unit} and ${upAxis} up were assumed.`,
  };
}

function transformTriples(
  triples: Float32Array,
  { metersPerUnit, upAxis }: CoordinateSystem,
): void {
  for (let offset = 0; offset < triples.length; offset += 3) {
    const y = (triples[offset + 1] as number) * metersPerUnit;
    const z = (triples[offset + 2] as number) * metersPerUnit;
    triples[offset] = (triples[offset] as number) * metersPerUnit;
    triples[offset + 1] = upAxis === 'y' ? y : z;
    triples[offset + 2] = upAxis === 'y' ? z : -y;
  }
}
