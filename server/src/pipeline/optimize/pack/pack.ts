import { type Document, Format, type GLTF, VertexLayout } from '@gltf-transform/core';
import { openIo } from '../../io.ts';
import { makeGlb } from './glb.ts';
import { findRoles, type Role } from './roles.ts';
import { slim } from './slim.ts';
import { decode, elementBytes, encode, makeStream, type Numbers, type Stream } from './stream.ts';

const EXTENSION = 'KHR_meshopt_compression';
/** What the JSON says more about a compressed view than about a plain one, in bytes. */
const JSON_OF_PACKED = 150;
const SIZES: Record<string, number> = {
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
export async function pack(document: Document): Promise<Uint8Array> {
  const io = await openIo();
  io.setVertexLayout(VertexLayout.SEPARATE);
  const { json, resources } = await io.writeJSON(document, { format: Format.GLB });
  const bin = Object.values(resources)[0] ?? new Uint8Array();
  const layout = new Layout(json, bin);
  slim(json);
  return makeGlb(json, layout.pieces);
}

/** Buffer views as they are laid out anew: `json` is changed, `pieces` is the new binary chunk. */
class Layout {
  readonly pieces: Uint8Array[] = [];
  readonly #json: GLTF.IGLTF;
  readonly #bin: Uint8Array;
  readonly #old: GLTF.IBufferView[];
  readonly #views: GLTF.IBufferView[] = [];
  readonly #moved = new Map<number, number>();
  #length = 0;
  #unpackedLength = 0;

  constructor(json: GLTF.IGLTF, bin: Uint8Array) {
    this.#json = json;
    this.#bin = bin;
    this.#old = json.bufferViews ?? [];
    for (const streams of this.#gather().values()) this.#place(streams);
    this.#keepOthers();
    if (this.#views.length > 0) json.bufferViews = this.#views;
    this.#nameBuffers();
  }

  #gather(): Map<string, [GLTF.IAccessor, Stream][]> {
    const roles = findRoles(this.#json);
    const groups = new Map<string, [GLTF.IAccessor, Stream][]>();
    for (const [index, accessor] of (this.#json.accessors ?? []).entries()) {
      if (accessor.sparse || accessor.bufferView === undefined) continue;
      const role = roles.get(index) ?? { kind: 'other' };
      const stream = makeStream(this.#read(accessor), role);
      if (!isBounded(role)) {
        delete accessor.min;
        delete accessor.max;
      }
      delete accessor.name;
      const group = groups.get(stream.key);
      if (group) group.push([accessor, stream]);
      else groups.set(stream.key, [[accessor, stream]]);
    }
    return groups;
  }

  #read(accessor: GLTF.IAccessor): Numbers {
    const view = this.#old[accessor.bufferView as number] as GLTF.IBufferView;
    const { componentType, normalized = false, count } = accessor;
    const size = SIZES[accessor.type] ?? 1;
    const tight = elementBytes({ componentType, size });
    const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    const stride = view.byteStride ?? tight;
    let bytes: Uint8Array;
    if (stride === tight) bytes = this.#bin.subarray(start, start + count * tight);
    else {
      bytes = new Uint8Array(count * tight);
      for (let at = 0; at < count; at++) {
        const from = start + at * stride;
        bytes.set(this.#bin.subarray(from, from + tight), at * tight);
      }
    }
    return { bytes, componentType, normalized, size, count };
  }

  #place(streams: [GLTF.IAccessor, Stream][]): void {
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
    const [, first] = streams[0] as [GLTF.IAccessor, Stream];
    this.#add(all, first, encode(all, first));
  }

  #add(bytes: Uint8Array, stream: Stream, packed: Uint8Array | undefined): void {
    const { stride, mode, filter } = stream;
    const strided = stream.vertex && { byteStride: stride };
    if (packed === undefined || packed.length + JSON_OF_PACKED > bytes.length) {
      // A filter is undone here then, with what it rounded.
      const plain = packed && filter ? decode(packed, bytes.length, stream) : bytes;
      this.#views.push({ buffer: 0, ...this.#append(plain), ...strided });
      return;
    }
    const count = bytes.length / stride;
    const stored = { buffer: 0, ...this.#append(packed), byteStride: stride, count, mode, filter };
    const byteOffset = this.#unpackedLength;
    this.#unpackedLength += (bytes.length + 3) & ~3;
    this.#views.push({
      buffer: 1,
      byteOffset,
      byteLength: bytes.length,
      ...strided,
      extensions: { [EXTENSION]: stored },
    });
  }

  #append(bytes: Uint8Array): { byteOffset: number; byteLength: number } {
    const byteOffset = this.#length;
    const padding = (4 - (bytes.length % 4)) % 4;
    this.pieces.push(bytes);
    if (padding > 0) this.pieces.push(new Uint8Array(padding));
    this.#length += bytes.length + padding;
    return { byteOffset, byteLength: bytes.length };
  }

  /** Images and sparse accessors stay as they are. */
  #keepOthers(): void {
    for (const image of this.#json.images ?? []) {
      if (image.bufferView !== undefined) image.bufferView = this.#keep(image.bufferView);
    }
    for (const accessor of this.#json.accessors ?? []) {
      if (!accessor.sparse) continue;
      const { indices, values } = accessor.sparse;
      if (accessor.bufferView !== undefined) accessor.bufferView = this.#keep(accessor.bufferView);
      indices.bufferView = this.#keep(indices.bufferView);
      values.bufferView = this.#keep(values.bufferView);
    }
  }

  #keep(index: number): number {
    const moved = this.#moved.get(index);
    if (moved !== undefined) return moved;
    const { byteOffset = 0, byteLength, byteStride } = this.#old[index] as GLTF.IBufferView;
    const bytes = this.#bin.subarray(byteOffset, byteOffset + byteLength);
    const strided = byteStride !== undefined && { byteStride };
    this.#views.push({ buffer: 0, ...this.#append(bytes), ...strided });
    this.#moved.set(index, this.#views.length - 1);
    return this.#views.length - 1;
  }

  #nameBuffers(): void {
    const json = this.#json;
    delete (json as Partial<GLTF.IGLTF>).buffers;
    if (this.#length > 0) json.buffers = [{ byteLength: this.#length }];
    if (this.#unpackedLength === 0) return;
    json.buffers?.push({
      byteLength: this.#unpackedLength,
      extensions: { [EXTENSION]: { fallback: true } },
    });
    json.extensionsUsed = [...(json.extensionsUsed ?? []), EXTENSION];
    json.extensionsRequired = [...(json.extensionsRequired ?? []), EXTENSION];
  }
}

/** Where glTF asks for the lowest and highest values, and where a copy stands, compressed or not. */
function isBounded(role: Role): boolean {
  if (role.kind === 'vertex') return role.semantic === 'POSITION' || role.semantic === '';
  return role.kind === 'times' || (role.kind === 'instances' && role.semantic !== 'ROTATION');
}
