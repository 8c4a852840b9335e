/// <reference path="./draco3dgltf.d.ts" />
import { WebIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import draco3d from 'draco3dgltf';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import { KHRMeshoptCompression } from './khr-meshopt-compression.ts';

/**
 * Creates a reader and writer of glTF in memory. It is no `NodeIO`, because that reads any file that a
 * glTF refers to.
 *
 * Call it in the worker process only: it processes untrusted files.
 */
export async function createGltfIo(): Promise<WebIO> {
  await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready]);
  return new WebIO()
    .registerExtensions([...ALL_EXTENSIONS, KHRMeshoptCompression])
    .registerDependencies({
      'draco3d.decoder': await draco3d.createDecoderModule(),
      'meshopt.decoder': MeshoptDecoder,
      'meshopt.encoder': MeshoptEncoder,
    });
}
