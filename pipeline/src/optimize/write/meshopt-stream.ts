/**
 * How the numbers of an accessor are laid out and rounded before they are compressed.
 *
 * Notes (November 2026; meshoptimizer 1.3). Bytes of the model, all else equal, SSIM to the original
 * (least of three sides):
 *
 *                        FlightHelmet                               Fox (skinned, animated)
 *   as it is             852,400  0.9929     as it is               52,304  0.9996
 *   normals of 10 bits   885,708  0.9929     rotations of 12 bits   51,572  0.9982
 *   normals of 12 bits   909,712             rotations of 16 bits   53,192  0.9997
 *   effort 1 of 3        867,856             tracks of 14 bits      52,260
 *   stream version 0     876,572             stream version 0       53,148
 *   no filters         1,299,188             no filters             65,384  0.9997
 *
 * Normals of 8 bits look the same. Efforts 2 and 3 came out equal. Version 1 is what
 * KHR_meshopt_compression has over EXT_meshopt_compression.
 */
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import type { AccessorUsage } from './accessor-usage.ts';

/** Numbers of one accessor, tight, as the writer gave them. */
export type AccessorData = {
  bytes: Uint8Array;
  componentType: number;
  normalized: boolean;
  /** Components of an element. */
  elementSize: number;
  count: number;
};

/** The same, ready to be compressed together with others of the same key. */
export type MeshoptStream = {
  groupKey: string;
  bytes: Uint8Array;
  stride: number;
  mode: 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES' | 'RAW';
  filter?: 'OCTAHEDRAL' | 'QUATERNION' | 'EXPONENTIAL';
  componentType: number;
  normalized: boolean;
  isVertexAttribute: boolean;
};

export const COMPONENT_FLOAT = 5126;
const COMPONENT_BYTE = 5120;
const COMPONENT_SHORT = 5122;
/** What directions and turns come as; other types are left as they are. */
const FILTERABLE_TYPES: ReadonlySet<number> = new Set([
  COMPONENT_FLOAT,
  COMPONENT_BYTE,
  COMPONENT_SHORT,
]);
const COMPONENT_BYTES: Record<number, number> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
};

export const NORMAL_BITS = 8;
export const ROTATION_BITS = 14;
export const ANIMATION_BITS = 16;
export const INSTANCE_BITS = 20;

/** The bytes of one element, without padding. */
export function getElementSizeBytes({
  componentType,
  elementSize,
}: Pick<AccessorData, 'componentType' | 'elementSize'>) {
  return (COMPONENT_BYTES[componentType] ?? 4) * elementSize;
}

/** Chooses how to pack an accessor. */
export function toMeshoptStream(numbers: AccessorData, role: AccessorUsage): MeshoptStream {
  if (role.kind === 'indices') return toIndexStream(numbers, role.triangles);
  const isVertexAttribute = role.kind === 'vertex';
  const filtered = applyFilter(numbers, role);
  if (filtered) return withGroupKey({ ...filtered, mode: 'ATTRIBUTES', isVertexAttribute });
  const { componentType, normalized } = numbers;
  const tight = getElementSizeBytes(numbers);
  const stride = isVertexAttribute ? (tight + 3) & ~3 : tight;
  // Where a skin stands is told by its matrices, so they can be read without a decoder.
  const plain = role.kind === 'binding' || stride % 4 !== 0 || stride > 256;
  const mode = plain ? 'RAW' : 'ATTRIBUTES';
  const bytes = stride === tight ? numbers.bytes : padToStride(numbers, stride);
  return withGroupKey({ bytes, stride, componentType, normalized, mode, isVertexAttribute });
}

function withGroupKey(stream: Omit<MeshoptStream, 'groupKey'>): MeshoptStream {
  const { mode, filter = '', isVertexAttribute, stride } = stream;
  return { ...stream, groupKey: [mode, filter, isVertexAttribute, stride].join() };
}

function toIndexStream(numbers: AccessorData, triangles: boolean): MeshoptStream {
  const { componentType, bytes, count } = numbers;
  const stride = getElementSizeBytes(numbers);
  const whole = triangles && count % 3 === 0;
  const mode = stride === 1 ? 'RAW' : whole ? 'TRIANGLES' : 'INDICES';
  const groupKey = `indices,${mode},${stride}`;
  return {
    groupKey,
    bytes,
    stride,
    mode,
    componentType,
    normalized: false,
    isVertexAttribute: false,
  };
}

type FilteredData = Pick<
  MeshoptStream,
  'bytes' | 'stride' | 'componentType' | 'normalized' | 'filter'
>;

function applyFilter(numbers: AccessorData, role: AccessorUsage): FilteredData | undefined {
  if (!FILTERABLE_TYPES.has(numbers.componentType)) return undefined;
  if (role.kind === 'vertex') {
    const direction = role.semantic === 'NORMAL' || role.semantic === 'TANGENT';
    return direction && !role.morphTarget ? filterOctahedral(numbers) : undefined;
  }
  if (role.kind === 'instances') {
    if (role.semantic === 'ROTATION') return filterQuaternion(numbers);
    return filterExponential(numbers, INSTANCE_BITS);
  }
  // Tangents of splines are no unit vectors, and far from their values in size.
  if (role.kind !== 'track' || role.cubicSpline) return undefined;
  if (role.path === 'rotation' && numbers.elementSize === 4) return filterQuaternion(numbers);
  return filterExponential(numbers, ANIMATION_BITS);
}

function filterOctahedral(numbers: AccessorData): FilteredData {
  const wide = NORMAL_BITS > 8;
  const stride = wide ? 8 : 4;
  const source = new Float32Array(numbers.count * 4);
  const from = toFloats(numbers);
  for (let at = 0; at < numbers.count; at++) {
    for (let part = 0; part < numbers.elementSize; part++) {
      source[at * 4 + part] = from[at * numbers.elementSize + part] as number;
    }
  }
  const bytes = MeshoptEncoder.encodeFilterOct(source, numbers.count, stride, NORMAL_BITS);
  return {
    bytes,
    stride,
    componentType: wide ? COMPONENT_SHORT : COMPONENT_BYTE,
    normalized: true,
    filter: 'OCTAHEDRAL',
  };
}

function filterQuaternion(numbers: AccessorData): FilteredData {
  const bytes = MeshoptEncoder.encodeFilterQuat(toFloats(numbers), numbers.count, 8, ROTATION_BITS);
  return {
    bytes,
    stride: 8,
    componentType: COMPONENT_SHORT,
    normalized: true,
    filter: 'QUATERNION',
  };
}

function filterExponential(numbers: AccessorData, bits: number): FilteredData | undefined {
  if (numbers.componentType !== COMPONENT_FLOAT) return undefined;
  const stride = numbers.elementSize * 4;
  const { count } = numbers;
  const mode = 'SharedComponent';
  const bytes = MeshoptEncoder.encodeFilterExp(toFloats(numbers), count, stride, bits, mode);
  return {
    bytes,
    stride,
    componentType: COMPONENT_FLOAT,
    normalized: false,
    filter: 'EXPONENTIAL',
  };
}

/** The numbers as floats; those that were rounded already round to the same again. */
function toFloats({ bytes, componentType }: AccessorData): Float32Array {
  const { buffer } = bytes.slice();
  if (componentType === COMPONENT_FLOAT) return new Float32Array(buffer);
  const whole = componentType === COMPONENT_BYTE ? Int8Array : Int16Array;
  const values = new whole(buffer);
  const most = 2 ** (8 * values.BYTES_PER_ELEMENT - 1) - 1;
  return Float32Array.from(values, (value) => Math.max(value / most, -1));
}

function padToStride(numbers: AccessorData, stride: number): Uint8Array {
  const tight = getElementSizeBytes(numbers);
  const padded = new Uint8Array(numbers.count * stride);
  for (let at = 0; at < numbers.count; at++) {
    padded.set(numbers.bytes.subarray(at * tight, (at + 1) * tight), at * stride);
  }
  return padded;
}

/** Compresses what several streams of one key hold, one after the other. */
export function compressStream(
  bytes: Uint8Array,
  { mode, stride }: MeshoptStream,
): Uint8Array | undefined {
  const count = bytes.length / stride;
  if (mode === 'RAW') return undefined;
  if (mode === 'ATTRIBUTES')
    return MeshoptEncoder.encodeVertexBufferLevel(bytes, count, stride, 3, 1);
  return MeshoptEncoder.encodeGltfBuffer(bytes, count, stride, mode, 1);
}

/** What a reader makes of the compressed bytes: the filter undone. */
export function decompressStream(
  packed: Uint8Array,
  length: number,
  { mode, stride, filter }: MeshoptStream,
): Uint8Array {
  const bytes = new Uint8Array(length);
  MeshoptDecoder.decodeGltfBuffer(bytes, length / stride, stride, packed, mode, filter);
  return bytes;
}
