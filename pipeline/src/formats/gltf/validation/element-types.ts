/** Bytes of each component type. */
export const COMPONENT_BYTES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 } as const;

/** The component types by their WebGL constants. */
export type ComponentType = keyof typeof COMPONENT_BYTES;

export const COMPONENT_TYPES = [5120, 5121, 5122, 5123, 5125, 5126] as const;
export const [BYTE, UNSIGNED_BYTE, SHORT, UNSIGNED_SHORT, UNSIGNED_INT, FLOAT] = COMPONENT_TYPES;

const COMPONENT_COUNTS = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
} as const;

/** The element types of accessors. */
export type ElementType = keyof typeof COMPONENT_COUNTS;

export const ELEMENT_TYPES = Object.keys(COMPONENT_COUNTS) as ElementType[];

/** Returns the number of components of an element. */
export function getComponentCount(type: ElementType): number {
  return COMPONENT_COUNTS[type];
}

/** Returns the bytes of an element. The columns of a matrix start at multiples of four. */
export function getElementBytes(type: ElementType, componentType: ComponentType): number {
  const bytes = COMPONENT_BYTES[componentType];
  if (!type.startsWith('MAT')) return COMPONENT_COUNTS[type] * bytes;
  const side = Number(type.at(-1));
  return side * Math.ceil((side * bytes) / 4) * 4;
}

/** Returns the number that a stored normalized integer represents. */
export function dequantize(value: number, componentType: ComponentType): number {
  switch (componentType) {
    case BYTE:
      return Math.max(value / 127, -1);
    case UNSIGNED_BYTE:
      return value / 255;
    case SHORT:
      return Math.max(value / 32767, -1);
    case UNSIGNED_SHORT:
      return value / 65535;
    default:
      return value;
  }
}

/** Reads a component, little-endian. */
export function readComponent(view: DataView, offset: number, type: ComponentType): number {
  switch (type) {
    case FLOAT:
      return view.getFloat32(offset, true);
    case UNSIGNED_SHORT:
      return view.getUint16(offset, true);
    case UNSIGNED_INT:
      return view.getUint32(offset, true);
    case SHORT:
      return view.getInt16(offset, true);
    case UNSIGNED_BYTE:
      return view.getUint8(offset);
    default:
      return view.getInt8(offset);
  }
}
