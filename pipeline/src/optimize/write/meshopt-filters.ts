/**
 * The filters of KHR_meshopt_compression, which quantize values so that they compress better.
 *
 * Notes (November 2026; meshoptimizer 1.3). Bytes of the model, all else equal, SSIM to the original
 * (least of three sides):
 *
 *                        FlightHelmet                               Fox (skinned, animated)
 *   chosen               852,400  0.9929     chosen                 52,304  0.9996
 *   normals of 10 bits   885,708  0.9929     rotations of 12 bits   51,572  0.9982
 *   normals of 12 bits   909,712             rotations of 16 bits   53,192  0.9997
 *   effort 1 of 3        867,856             animation of 14 bits   52,260
 *   stream version 0     876,572             stream version 0       53,148
 *   no filters         1,299,188             no filters             65,384  0.9997
 *
 * Chosen: normals of 8 bits, rotations of 14 bits, animation of 16 bits, effort 3, stream version 1.
 * Normals of 8 bits look the same as with more bits. Efforts 2 and 3 give the same size. Stream version
 * 1 is the difference between KHR_meshopt_compression and EXT_meshopt_compression.
 */
import type { GLTF } from '@gltf-transform/core';
import { MeshoptEncoder } from 'meshoptimizer';
import type { AccessorData } from './accessor-data.ts';
import type { AccessorUsage } from './accessor-usage.ts';

/** The values of an accessor after a filter was applied. */
export type FilteredData = {
  bytes: Uint8Array;
  stride: number;
  componentType: GLTF.AccessorComponentType;
  normalized: boolean;
  filter: 'OCTAHEDRAL' | 'QUATERNION' | 'EXPONENTIAL';
};

/** glTF's numbers of component types. */
const [BYTE, SHORT, FLOAT] = [5120, 5122, 5126] as const;

const NORMAL_BITS = 8;
const ROTATION_BITS = 14;
const ANIMATION_BITS = 16;
const INSTANCE_BITS = 20;

/** Component types of normals, tangents and rotations; accessors of other types are not filtered. */
const FILTERABLE_TYPES: readonly number[] = [FLOAT, BYTE, SHORT];

/** Applies the filter for the usage of an accessor; undefined if there is none. */
export function applyFilter(data: AccessorData, usage: AccessorUsage): FilteredData | undefined {
  if (!FILTERABLE_TYPES.includes(data.componentType)) return undefined;
  if (usage.kind === 'vertex') {
    const isDirection = usage.semantic === 'NORMAL' || usage.semantic === 'TANGENT';
    return isDirection && !usage.morphTarget ? filterOctahedral(data) : undefined;
  }
  if (usage.kind === 'instance-attribute') {
    if (usage.semantic === 'ROTATION') return filterQuaternion(data);
    return filterExponential(data, INSTANCE_BITS);
  }
  // Tangents of splines are not unit vectors, and differ from their values in magnitude.
  if (usage.kind !== 'animation-output' || usage.cubicSpline) return undefined;
  if (usage.path === 'rotation' && data.elementSize === 4) return filterQuaternion(data);
  return filterExponential(data, ANIMATION_BITS);
}

function filterOctahedral(data: AccessorData): FilteredData {
  // encodeFilterOct takes vectors of four components, and returns bytes up to 8 bits.
  const stride = 4;
  const source = new Float32Array(data.count * 4);
  const floats = toFloats(data);
  for (let index = 0; index < data.count; index++) {
    for (let component = 0; component < data.elementSize; component++) {
      source[index * 4 + component] = floats[index * data.elementSize + component] as number;
    }
  }
  return {
    bytes: MeshoptEncoder.encodeFilterOct(source, data.count, stride, NORMAL_BITS),
    stride,
    componentType: BYTE,
    normalized: true,
    filter: 'OCTAHEDRAL',
  };
}

function filterQuaternion(data: AccessorData): FilteredData {
  return {
    bytes: MeshoptEncoder.encodeFilterQuat(toFloats(data), data.count, 8, ROTATION_BITS),
    stride: 8,
    componentType: SHORT,
    normalized: true,
    filter: 'QUATERNION',
  };
}

function filterExponential(data: AccessorData, bits: number): FilteredData | undefined {
  if (data.componentType !== FLOAT) return undefined;
  const stride = data.elementSize * 4;
  const mode = 'SharedComponent';
  return {
    bytes: MeshoptEncoder.encodeFilterExp(toFloats(data), data.count, stride, bits, mode),
    stride,
    componentType: FLOAT,
    normalized: false,
    filter: 'EXPONENTIAL',
  };
}

/** Converts values to floats. Integers are dequantized, and the filter restores the same integers. */
function toFloats({ bytes, componentType }: AccessorData): Float32Array {
  const { buffer } = bytes.slice();
  if (componentType === FLOAT) return new Float32Array(buffer);
  const integers = componentType === BYTE ? new Int8Array(buffer) : new Int16Array(buffer);
  const maxValue = 2 ** (8 * integers.BYTES_PER_ELEMENT - 1) - 1;
  return Float32Array.from(integers, (value) => Math.max(value / maxValue, -1));
}
