import { type Document, Format, type GLTF, VertexLayout } from '@gltf-transform/core';
import { createGltfIo } from '../../formats/gltf/gltf-io.ts';
import { type AccessorUsage, findAccessorUsages } from './accessor-usage.ts';
import { encodeGlbContainer } from './glb-container.ts';
import {
  type AccessorData,
  compressStream,
  decompressStream,
  getElementSizeBytes,
  type MeshoptStream,
  toMeshoptStream,
} from './meshopt-stream.ts';
import { stripDefaults } from './strip-defaults.ts';

const MESHOPT_EXTENSION = 'KHR_meshopt_compression';
/** What the JSON says more about a compressed view than about a plain one, in bytes. */
const COMPRESSED_VIEW_JSON_BYTES = 150;
const ELEMENT_SIZES: Record<string, number> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
};

/**
 * Writes a document as GLB: accessors of one kind side by side in few buffer views, compressed
 * where that makes them smaller, and JSON that says nothing twice.
 *
 * glTF-Transform's own writer makes a compressed view for each mesh: with 42 small meshes the JSON
 * for them is larger than the meshes.
 */
export async function writeGlb(document: Document): Promise<Uint8Array> {
  const io = await createGltfIo();
  io.setVertexLayout(VertexLayout.SEPARATE);
  const { json, resources } = await io.writeJSON(document, { format: Format.GLB });
  const bin = Object.values(resources)[0] ?? new Uint8Array();
  const layout = new BufferLayout(json, bin);
  stripDefaults(json);
  return encodeGlbContainer(json, layout.pieces);
}

/** Buffer views as they are laid out anew: `json` is changed, `pieces` is the new binary chunk. */
class BufferLayout {
  readonly pieces: Uint8Array[] = [];
  readonly #json: GLTF.IGLTF;
  readonly #sourceBytes: Uint8Array;
  readonly #sourceViews: GLTF.IBufferView[];
  readonly #views: GLTF.IBufferView[] = [];
  readonly #copiedViews = new Map<number, number>();
  #byteLength = 0;
  #fallbackByteLength = 0;

  constructor(json: GLTF.IGLTF, bin: Uint8Array) {
    this.#json = json;
    this.#sourceBytes = bin;
    this.#sourceViews = json.bufferViews ?? [];
    for (const streams of this.#groupAccessors().values()) this.#writeGroup(streams);
    this.#copyRemainingViews();
    if (this.#views.length > 0) json.bufferViews = this.#views;
    this.#declareBuffers();
  }

  #groupAccessors(): Map<string, [GLTF.IAccessor, MeshoptStream][]> {
    const roles = findAccessorUsages(this.#json);
    const groups = new Map<string, [GLTF.IAccessor, MeshoptStream][]>();
    for (const [index, accessor] of (this.#json.accessors ?? []).entries()) {
      if (accessor.sparse || accessor.bufferView === undefined) continue;
      const role = roles.get(index) ?? { kind: 'other' };
      const stream = toMeshoptStream(this.#readAccessor(accessor), role);
      if (!requiresMinMax(role)) {
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
    const elementSize = ELEMENT_SIZES[accessor.type] ?? 1;
    const tight = getElementSizeBytes({ componentType, elementSize });
    const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    const stride = view.byteStride ?? tight;
    let bytes: Uint8Array;
    if (stride === tight) bytes = this.#sourceBytes.subarray(start, start + count * tight);
    else {
      bytes = new Uint8Array(count * tight);
      for (let at = 0; at < count; at++) {
        const from = start + at * stride;
        bytes.set(this.#sourceBytes.subarray(from, from + tight), at * tight);
      }
    }
    return { bytes, componentType, normalized, elementSize, count };
  }

  #writeGroup(streams: [GLTF.IAccessor, MeshoptStream][]): void {
    let length = 0;
    for (const [accessor, stream] of streams) {
      // Numbers without a stride of their own start at a multiple of their size.
      if (stream.mode === 'RAW') length = (length + 3) & ~3;
      accessor.bufferView = this.#views.length;
      accessor.byteOffset = length;
      accessor.componentType = stream.componentType as GLTF.AccessorComponentType;
      accessor.normalized = stream.normalized;
      length += stream.bytes.length;
    }
    const all = new Uint8Array(length);
    for (const [{ byteOffset = 0 }, { bytes }] of streams) all.set(bytes, byteOffset);
    const [, first] = streams[0] as [GLTF.IAccessor, MeshoptStream];
    this.#addView(all, first, compressStream(all, first));
  }

  #addView(bytes: Uint8Array, stream: MeshoptStream, packed: Uint8Array | undefined): void {
    const { stride, mode, filter } = stream;
    const strided = stream.isVertexAttribute && { byteStride: stride };
    if (packed === undefined || packed.length + COMPRESSED_VIEW_JSON_BYTES > bytes.length) {
      // A filter is undone here then, with what it rounded.
      const plain = packed && filter ? decompressStream(packed, bytes.length, stream) : bytes;
      this.#views.push({ buffer: 0, ...this.#appendBytes(plain), ...strided });
      return;
    }
    const count = bytes.length / stride;
    const stored = {
      buffer: 0,
      ...this.#appendBytes(packed),
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
      ...strided,
      extensions: { [MESHOPT_EXTENSION]: stored },
    });
  }

  #appendBytes(bytes: Uint8Array): { byteOffset: number; byteLength: number } {
    const byteOffset = this.#byteLength;
    const padding = (4 - (bytes.length % 4)) % 4;
    this.pieces.push(bytes);
    if (padding > 0) this.pieces.push(new Uint8Array(padding));
    this.#byteLength += bytes.length + padding;
    return { byteOffset, byteLength: bytes.length };
  }

  /** Images and sparse accessors stay as they are. */
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

  #copyView(index: number): number {
    const moved = this.#copiedViews.get(index);
    if (moved !== undefined) return moved;
    const { byteOffset = 0, byteLength, byteStride } = this.#sourceViews[index] as GLTF.IBufferView;
    const bytes = this.#sourceBytes.subarray(byteOffset, byteOffset + byteLength);
    const strided = byteStride !== undefined && { byteStride };
    this.#views.push({ buffer: 0, ...this.#appendBytes(bytes), ...strided });
    this.#copiedViews.set(index, this.#views.length - 1);
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

/** Where glTF asks for the lowest and highest values, and where a copy stands, compressed or not. */
function requiresMinMax(role: AccessorUsage): boolean {
  if (role.kind === 'vertex') return role.semantic === 'POSITION' || role.semantic === '';
  return role.kind === 'times' || (role.kind === 'instances' && role.semantic !== 'ROTATION');
}
