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
 * Reads KHR_meshopt_compression, which glTF-Transform 4.5 does not support. It is like
 * EXT_meshopt_compression with a newer bit stream. It is never written: documents are uncompressed.
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
      const compressed = view.extensions?.[KHR_MESHOPT_COMPRESSION] as
        | CompressedBufferView
        | undefined;
      if (compressed === undefined) continue;
      const source = getBufferBytes(json.buffers?.[compressed.buffer], resources).subarray(
        compressed.byteOffset ?? 0,
        (compressed.byteOffset ?? 0) + compressed.byteLength,
      );
      const target = new Uint8Array(compressed.count * compressed.byteStride);
      const { count, byteStride, mode, filter } = compressed;
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
  if (bytes === undefined) throw new TypeError('A meshopt-compressed buffer is missing.');
  return bytes;
}
