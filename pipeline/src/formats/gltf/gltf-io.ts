/// <reference path="./draco3dgltf.d.ts" />
import { WebIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import draco3d from 'draco3dgltf';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import { KHRMeshoptCompression } from './khr-meshopt-compression.ts';

/**
 * Reads and writes GLB in memory. Not `NodeIO`, which would follow a path in a file to the disk.
 *
 * For the child process only: it opens the bytes of strangers.
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
