import { Accessor, type GLTF } from '@gltf-transform/core';
import { type AccessorData, getElementSizeBytes } from './accessor-data.ts';
import { type AccessorUsage, findAccessorUsages } from './accessor-usage.ts';
import {
  compressStream,
  decompressStream,
  type MeshoptStream,
  toMeshoptStream,
} from './meshopt-stream.ts';

const MESHOPT_EXTENSION = 'KHR_meshopt_compression';
/** Bytes of additional JSON for a compressed buffer view, compared with an uncompressed one. */
const COMPRESSED_VIEW_JSON_BYTES = 150;

type AccessorStream = [accessor: GLTF.IAccessor, stream: MeshoptStream];

/** Rewrites the buffer views of a glTF: groups its accessors by layout and compresses each group. */
export class BufferViewWriter {
  readonly #json: GLTF.IGLTF;
  readonly #sourceBytes: Uint8Array;
  readonly #sourceViews: GLTF.IBufferView[];
  readonly #pieces: Uint8Array[] = [];
  readonly #views: GLTF.IBufferView[] = [];
  readonly #copiedViews = new Map<number, number>();
  #byteLength = 0;
  #fallbackByteLength = 0;

  constructor(json: GLTF.IGLTF, binaryChunk: Uint8Array) {
    this.#json = json;
    this.#sourceBytes = binaryChunk;
    this.#sourceViews = json.bufferViews ?? [];
  }

  /** Changes the JSON, and returns the pieces of the new binary chunk. Call it once. */
  write(): readonly Uint8Array[] {
    for (const streams of this.#groupAccessors().values()) this.#writeGroup(streams);
    this.#copyRemainingViews();
    if (this.#views.length > 0) this.#json.bufferViews = this.#views;
    this.#declareBuffers();
    return this.#pieces;
  }

  #groupAccessors(): Map<string, AccessorStream[]> {
    const usages = findAccessorUsages(this.#json);
    const groups = new Map<string, AccessorStream[]>();
    for (const [index, accessor] of (this.#json.accessors ?? []).entries()) {
      if (accessor.sparse || accessor.bufferView === undefined) continue;
      const usage = usages.get(index) ?? { kind: 'other' };
      const stream = toMeshoptStream(this.#readAccessor(accessor), usage);
      if (!requiresMinMax(usage)) {
        delete accessor.min;
        delete accessor.max;
      }
      delete accessor.name;
      const group = groups.get(stream.groupKey);
      if (group) group.push([accessor, stream]);
      else groups.set(stream.groupKey, [[accessor, stream]]);
    }
    return groups;
  }

  #readAccessor(accessor: GLTF.IAccessor): AccessorData {
    const view = this.#sourceViews[accessor.bufferView as number] as GLTF.IBufferView;
    const { componentType, normalized = false, count } = accessor;
    const elementSize = Accessor.getElementSize(accessor.type);
    const elementBytes = getElementSizeBytes({ componentType, elementSize });
    const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    const stride = view.byteStride ?? elementBytes;
    let bytes: Uint8Array;
    if (stride === elementBytes) {
      bytes = this.#sourceBytes.subarray(start, start + count * elementBytes);
    } else {
      bytes = new Uint8Array(count * elementBytes);
      for (let index = 0; index < count; index++) {
        const offset = start + index * stride;
        const element = this.#sourceBytes.subarray(offset, offset + elementBytes);
        bytes.set(element, index * elementBytes);
      }
    }
    return { bytes, componentType, normalized, elementSize, count };
  }

  #writeGroup(streams: AccessorStream[]): void {
    let length = 0;
    for (const [accessor, stream] of streams) {
      // glTF requires that values without a stride are aligned to their size.
      if (stream.mode === 'RAW') length = (length + 3) & ~3;
      accessor.bufferView = this.#views.length;
      accessor.byteOffset = length;
      accessor.componentType = stream.componentType;
      accessor.normalized = stream.normalized;
      length += stream.bytes.length;
    }
    const groupBytes = new Uint8Array(length);
    for (const [{ byteOffset = 0 }, { bytes }] of streams) groupBytes.set(bytes, byteOffset);
    const [, layout] = streams[0] as AccessorStream;
    this.#addView(groupBytes, layout, compressStream(groupBytes, layout));
  }

  #addView(bytes: Uint8Array, layout: MeshoptStream, compressed: Uint8Array | undefined): void {
    const { stride, mode, filter } = layout;
    const vertexStride = layout.isVertexAttribute && { byteStride: stride };
    if (compressed === undefined || compressed.length + COMPRESSED_VIEW_JSON_BYTES > bytes.length) {
      // Uncompressed values must not be filtered: decoding undoes the filter, not its quantization.
      const decoded =
        compressed && filter ? decompressStream(compressed, bytes.length, layout) : bytes;
      this.#views.push({ buffer: 0, ...this.#appendBytes(decoded), ...vertexStride });
      return;
    }
    const count = bytes.length / stride;
    const compressedView = {
      buffer: 0,
      ...this.#appendBytes(compressed),
      byteStride: stride,
      count,
      mode,
      filter,
    };
    const byteOffset = this.#fallbackByteLength;
    this.#fallbackByteLength += (bytes.length + 3) & ~3;
    this.#views.push({
      buffer: 1,
      byteOffset,
      byteLength: bytes.length,
      ...vertexStride,
      extensions: { [MESHOPT_EXTENSION]: compressedView },
    });
  }

  #appendBytes(bytes: Uint8Array): { byteOffset: number; byteLength: number } {
    const byteOffset = this.#byteLength;
    const padding = (4 - (bytes.length % 4)) % 4;
    this.#pieces.push(bytes);
    if (padding > 0) this.#pieces.push(new Uint8Array(padding));
    this.#byteLength += bytes.length + padding;
    return { byteOffset, byteLength: bytes.length };
  }

  /** Copies the buffer views of images and sparse accessors unchanged. */
  #copyRemainingViews(): void {
    for (const image of this.#json.images ?? []) {
      if (image.bufferView !== undefined) image.bufferView = this.#copyView(image.bufferView);
    }
    for (const accessor of this.#json.accessors ?? []) {
      if (!accessor.sparse) continue;
      const { indices, values } = accessor.sparse;
      if (accessor.bufferView !== undefined)
        accessor.bufferView = this.#copyView(accessor.bufferView);
      indices.bufferView = this.#copyView(indices.bufferView);
      values.bufferView = this.#copyView(values.bufferView);
    }
  }

  #copyView(sourceIndex: number): number {
    const copiedIndex = this.#copiedViews.get(sourceIndex);
    if (copiedIndex !== undefined) return copiedIndex;
    const view = this.#sourceViews[sourceIndex] as GLTF.IBufferView;
    const { byteOffset = 0, byteLength, byteStride } = view;
    const bytes = this.#sourceBytes.subarray(byteOffset, byteOffset + byteLength);
    const stride = byteStride !== undefined && { byteStride };
    this.#views.push({ buffer: 0, ...this.#appendBytes(bytes), ...stride });
    this.#copiedViews.set(sourceIndex, this.#views.length - 1);
    return this.#views.length - 1;
  }

  #declareBuffers(): void {
    const json = this.#json;
    delete (json as Partial<GLTF.IGLTF>).buffers;
    if (this.#byteLength > 0) json.buffers = [{ byteLength: this.#byteLength }];
    if (this.#fallbackByteLength === 0) return;
    json.buffers?.push({
      byteLength: this.#fallbackByteLength,
      extensions: { [MESHOPT_EXTENSION]: { fallback: true } },
    });
    json.extensionsUsed = [...(json.extensionsUsed ?? []), MESHOPT_EXTENSION];
    json.extensionsRequired = [...(json.extensionsRequired ?? []), MESHOPT_EXTENSION];
  }
}

/** Whether an accessor needs `min` and `max`: required by glTF, or used for bounds without a decoder. */
function requiresMinMax(usage: AccessorUsage): boolean {
  switch (usage.kind) {
    case 'vertex':
      return usage.semantic === 'POSITION' || usage.semantic === '';
    case 'animation-input':
      return true;
    case 'instance-attribute':
      return usage.semantic !== 'ROTATION';
    default:
      return false;
  }
}
