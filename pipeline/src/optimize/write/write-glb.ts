import { type Document, Format, VertexLayout } from '@gltf-transform/core';
import { createGltfIo } from '../../formats/gltf/gltf-io.ts';
import { BufferLayout } from './buffer-layout.ts';
import { encodeGlbContainer } from './glb-container.ts';
import { stripDefaults } from './strip-defaults.ts';

/**
 * Writes a document as GLB: accessors of the same kind together in few buffer views, compressed with
 * KHR_meshopt_compression if that makes them smaller, and JSON without default values.
 *
 * glTF-Transform's own writer creates a compressed buffer view for each mesh: for 42 small meshes
 * their JSON is larger than the meshes.
 */
export async function writeGlb(document: Document): Promise<Uint8Array> {
  const io = await createGltfIo();
  io.setVertexLayout(VertexLayout.SEPARATE);
  const { json, resources } = await io.writeJSON(document, { format: Format.GLB });
  const binaryChunk = Object.values(resources)[0] ?? new Uint8Array();
  const pieces = new BufferLayout(json, binaryChunk).write();
  stripDefaults(json);
  return encodeGlbContainer(json, pieces);
}
