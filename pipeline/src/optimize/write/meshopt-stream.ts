import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import { type AccessorData, getElementSizeBytes } from './accessor-data.ts';
import type { AccessorUsage } from './accessor-usage.ts';
import { applyFilter, type FilteredData } from './meshopt-filters.ts';

/** The values of an accessor before compression. Streams with the same `groupKey` are compressed together. */
export type MeshoptStream = Omit<FilteredData, 'filter'> & {
  groupKey: string;
  mode: 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES' | 'RAW';
  filter?: FilteredData['filter'];
  isVertexAttribute: boolean;
};

const [COMPRESSION_EFFORT, STREAM_VERSION] = [3, 1];
const MAX_STRIDE = 256;

/** Chooses the mode and filter for an accessor, and applies the filter. */
export function toMeshoptStream(data: AccessorData, usage: AccessorUsage): MeshoptStream {
  if (usage.kind === 'indices') return toIndexStream(data, usage.triangles);
  const isVertexAttribute = usage.kind === 'vertex';
  const filtered = applyFilter(data, usage);
  if (filtered) return withGroupKey({ ...filtered, mode: 'ATTRIBUTES', isVertexAttribute });
  const { componentType, normalized } = data;
  const elementBytes = getElementSizeBytes(data);
  const stride = isVertexAttribute ? (elementBytes + 3) & ~3 : elementBytes;
  // The validation reads the matrices without a decoder, for the bounds of a skinned mesh.
  const isRaw = usage.kind === 'inverse-bind-matrices' || stride % 4 !== 0 || stride > MAX_STRIDE;
  const mode = isRaw ? 'RAW' : 'ATTRIBUTES';
  const bytes = stride === elementBytes ? data.bytes : padToStride(data, stride);
  return withGroupKey({ bytes, stride, componentType, normalized, mode, isVertexAttribute });
}

function withGroupKey(stream: Omit<MeshoptStream, 'groupKey'>): MeshoptStream {
  const { mode, filter = '', isVertexAttribute, stride } = stream;
  return { ...stream, groupKey: [mode, filter, isVertexAttribute, stride].join() };
}

function toIndexStream(data: AccessorData, triangles: boolean): MeshoptStream {
  const { componentType, bytes, count } = data;
  const stride = getElementSizeBytes(data);
  const isTriangles = triangles && count % 3 === 0;
  const mode = stride === 1 ? 'RAW' : isTriangles ? 'TRIANGLES' : 'INDICES';
  return {
    groupKey: `indices,${mode},${stride}`,
    bytes,
    stride,
    mode,
    componentType,
    normalized: false,
    isVertexAttribute: false,
  };
}

function padToStride(data: AccessorData, stride: number): Uint8Array {
  const elementBytes = getElementSizeBytes(data);
  const padded = new Uint8Array(data.count * stride);
  for (let index = 0; index < data.count; index++) {
    const element = data.bytes.subarray(index * elementBytes, (index + 1) * elementBytes);
    padded.set(element, index * stride);
  }
  return padded;
}

/** Compresses the concatenated bytes of a group of streams; undefined if its mode is RAW. */
export function compressStream(
  bytes: Uint8Array,
  { mode, stride }: MeshoptStream,
): Uint8Array | undefined {
  const count = bytes.length / stride;
  if (mode === 'RAW') return undefined;
  if (mode === 'ATTRIBUTES') {
    return MeshoptEncoder.encodeVertexBufferLevel(
      bytes,
      count,
      stride,
      COMPRESSION_EFFORT,
      STREAM_VERSION,
    );
  }
  return MeshoptEncoder.encodeGltfBuffer(bytes, count, stride, mode, STREAM_VERSION);
}

/** Decompresses a group and decodes its filter, as a reader of the file does. */
export function decompressStream(
  compressed: Uint8Array,
  byteLength: number,
  { mode, stride, filter }: MeshoptStream,
): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  const count = byteLength / stride;
  MeshoptDecoder.decodeGltfBuffer(bytes, count, stride, compressed, mode, filter);
  return bytes;
}
