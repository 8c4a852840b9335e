import type { BufferGeometry } from 'three';
import { type Geometry, getMaxTriangles, selectGeometry } from './select-geometry.ts';
import type { ModelScale } from './select-texture-pack.ts';

/** The geometries of a model. GeometryUpgrades replaces the one that is shown with a larger one. */
export type GeometryLevels = {
  /** Ascending by triangles. */
  geometries: readonly Geometry[];
  shown: Geometry;
  /** Of the objects of the model, in the order of the file, which is the same in all geometries. */
  objects: readonly BufferGeometry[];
  /** @throws {ViewerError} as `download` */
  load(geometry: Geometry, signal: AbortSignal): Promise<ArrayBuffer>;
  /** Reads the geometries of the objects, in the same order. @throws {ViewerError} as `parseModel` */
  parse(file: ArrayBuffer): Promise<BufferGeometry[]>;
};

/** Returns the geometry that the screen and the device can show, if it is larger than the one that is shown. */
export function findLargerGeometry(
  { geometries, shown }: GeometryLevels,
  scale: ModelScale,
): Geometry | undefined {
  const geometry = selectGeometry(geometries, scale, getMaxTriangles(navigator));
  return geometry && geometry.triangles > shown.triangles ? geometry : undefined;
}
