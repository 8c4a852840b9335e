import { type Document, Format, VertexLayout } from '@gltf-transform/core';
import { createGltfIo } from '../../formats/gltf/gltf-io.ts';
import { BufferViewWriter } from './buffer-view-writer.ts';
import { encodeGlbContainer } from './encode-glb.ts';
import { minifyGltfJson } from './minify-json.ts';

/**
 * Writes a document as GLB. Accessors of the same kind share a buffer view, which is compressed with
 * KHR_meshopt_compression if that makes it smaller. The JSON has no default values.
 *
 * glTF-Transform's own writer is not used: it creates a compressed buffer view for each mesh. For 42
 * small meshes, the JSON of these views was larger than the meshes.
 */
export async function writeGlb(document: Document): Promise<Uint8Array> {
  const io = await createGltfIo();
  io.setVertexLayout(VertexLayout.SEPARATE);
  const { json, resources } = await io.writeJSON(document, { format: Format.GLB });
  const binaryChunk = Object.values(resources)[0] ?? new Uint8Array();
  const pieces = new BufferViewWriter(json, binaryChunk).write();
  minifyGltfJson(json);
  return encodeGlbContainer(json, pieces);
}
