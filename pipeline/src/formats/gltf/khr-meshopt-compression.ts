import { Extension, type GLTF, PropertyType, type ReaderContext } from '@gltf-transform/core';
import type { MeshoptDecoder } from 'meshoptimizer';

const KHR_MESHOPT_COMPRESSION = 'KHR_meshopt_compression';

type CompressedBufferView = {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
  byteStride: number;
  count: number;
  mode: string;
  filter?: string;
};

/**
 * Reads KHR_meshopt_compression, which glTF-Transform 4.5 does not know: as EXT_meshopt_compression,
 * with a newer bit stream. Only reads; a document that was read is no longer compressed.
 */
export class KHRMeshoptCompression extends Extension {
  static override readonly EXTENSION_NAME = KHR_MESHOPT_COMPRESSION;
  override readonly extensionName = KHR_MESHOPT_COMPRESSION;
  override readonly prereadTypes = [PropertyType.BUFFER];
  override readonly readDependencies = ['meshopt.decoder'];
  #decoder: typeof MeshoptDecoder | undefined;

  override install(_key: string, dependency: unknown): this {
    this.#decoder = dependency as typeof MeshoptDecoder;
    return this;
  }

  override preread(context: ReaderContext): this {
    const { json, resources } = context.jsonDoc;
    for (const [index, view] of (json.bufferViews ?? []).entries()) {
      const packed = view.extensions?.[KHR_MESHOPT_COMPRESSION] as CompressedBufferView | undefined;
      if (packed === undefined) continue;
      const source = getBufferBytes(json.buffers?.[packed.buffer], resources).subarray(
        packed.byteOffset ?? 0,
        (packed.byteOffset ?? 0) + packed.byteLength,
      );
      const target = new Uint8Array(packed.count * packed.byteStride);
      const { count, byteStride, mode, filter } = packed;
      this.#decoder?.decodeGltfBuffer(target, count, byteStride, source, mode, filter);
      context.bufferViews[index] = target;
    }
    return this;
  }

  override read(): this {
    this.dispose();
    return this;
  }

  override write(): this {
    return this;
  }
}

function getBufferBytes(
  buffer: GLTF.IBuffer | undefined,
  resources: Readonly<Record<string, Uint8Array>>,
): Uint8Array {
  const bytes = resources[buffer?.uri ?? '@glb.bin'];
  if (bytes === undefined) throw new TypeError('A meshopt-compressed buffer is not there.');
  return bytes;
}
