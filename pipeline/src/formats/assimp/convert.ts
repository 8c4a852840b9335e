/// <reference path="./assimpjs.d.ts" />

import { type Document, Logger } from '@gltf-transform/core';
import assimp from 'assimpjs';
import { createGltfIo } from '../gltf/gltf-io.ts';

/**
 * Converts a file to glTF with assimp, through the GLB that it writes.
 *
 * Its other output, assjson, has the bump maps that the GLB lacks, but no embedded textures and no
 * morph targets, and is text of ten times the size. `fixAssimpOutput` corrects the GLB; the warnings
 * of each format report what it lacks. Observed with assimp 5.2 (assimpjs 0.0.10): it applies
 * neither unit nor up axis of an FBX, but both of a DAE; treats sRGB colors as linear; sets
 * roughness 1 where the file has no gloss; adds an index of refraction of 1 where the file has none,
 * which removes all reflections; and drops cameras, lights and animated weights.
 */
export async function convertWithAssimp(
  bytes: Buffer,
  extension: 'fbx' | 'dae',
): Promise<Document> {
  const ignore = () => {};
  const library = await assimp({ print: ignore, printErr: ignore });
  const files = new library.FileList();
  // The library sees no other file, so it cannot read files that the model refers to.
  files.AddFile(`model.${extension}`, bytes);
  const result = library.ConvertFileList(files, 'glb2');
  if (!result.IsSuccess() || result.FileCount() === 0) {
    const errorCode = result.GetErrorCode().replaceAll('_', ' ');
    throw new Error(`the conversion library reported "${errorCode}".`);
  }
  const io = (await createGltfIo()).setLogger(new Logger(Logger.Verbosity.SILENT));
  return readGlbWithMissingImages(io, Uint8Array.from(result.GetFile(0).GetContent()));
}

type GltfIo = Awaited<ReturnType<typeof createGltfIo>>;

/** Reads a GLB that refers to external images: each becomes a texture without an image. */
async function readGlbWithMissingImages(
  io: GltfIo,
  glb: Uint8Array<ArrayBuffer>,
): Promise<Document> {
  const view = new DataView(glb.buffer);
  const jsonLength = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + jsonLength)));
  const resources: { [name: string]: Uint8Array<ArrayBuffer> } = {};
  if (glb.length > 28 + jsonLength) {
    for (const buffer of json.buffers ?? []) buffer.uri = 'model.bin';
    resources['model.bin'] = glb.slice(28 + jsonLength);
  }
  for (const [index, image] of (json.images ?? []).entries()) {
    if (typeof image.uri !== 'string') continue;
    image.name = image.uri;
    image.uri = `absent-${index}.png`;
    resources[image.uri] = new Uint8Array(0);
  }
  return io.readJSON({ json, resources });
}
