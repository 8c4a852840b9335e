import { Accessor, type GLTF } from '@gltf-transform/core';

/** The values of an accessor, without padding. */
export type AccessorData = {
  bytes: Uint8Array;
  componentType: GLTF.AccessorComponentType;
  normalized: boolean;
  /** Components of an element. */
  elementSize: number;
  count: number;
};

/** Returns the size of an element in bytes, without padding. */
export function getElementSizeBytes({
  componentType,
  elementSize,
}: Pick<AccessorData, 'componentType' | 'elementSize'>): number {
  return Accessor.getComponentSize(componentType) * elementSize;
}
