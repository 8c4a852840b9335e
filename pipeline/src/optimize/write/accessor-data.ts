/** The values of an accessor, without padding. */
export type AccessorData = {
  bytes: Uint8Array;
  componentType: number;
  normalized: boolean;
  /** Components of an element. */
  elementSize: number;
  count: number;
};

/** glTF's numbers of component types. */
export const ComponentType = { BYTE: 5120, SHORT: 5122, FLOAT: 5126 } as const;

const COMPONENT_BYTES: Record<number, number> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
};

/** Returns the size of an element in bytes, without padding. */
export function getElementSizeBytes({
  componentType,
  elementSize,
}: Pick<AccessorData, 'componentType' | 'elementSize'>): number {
  return (COMPONENT_BYTES[componentType] ?? 4) * elementSize;
}
