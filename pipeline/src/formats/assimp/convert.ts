import { type Document, Logger } from '@gltf-transform/core';
import assimp from 'assimpjs';
import { createGltfIo } from '../gltf/gltf-io.ts';

/**
 * Reads a file with assimp, by way of the GLB it writes.
 *
 * Its other output, assjson, has the bump maps that the GLB lacks, but no embedded pictures and no
 * morph targets, and is text: ten times the size, all in memory. What the GLB gets wrong is put right
 * by `repair`; what it lacks is told by `tellFbx` and `DaeNotes`. Seen with assimp 5.2 (assimpjs
 * 0.0.10): it applies neither unit nor up axis of an FBX, both of a DAE; takes sRGB colours as linear;
 * leaves the roughness of what does not speak of gloss at 1; adds an index of refraction of 1 to what
 * has none, which takes all reflections away; leaves out cameras, lights and animated weights.
 */
export async function convertWithAssimp(
  bytes: Buffer,
  extension: 'fbx' | 'dae',
): Promise<Document> {
  const quiet = () => {};
  const library = await assimp({ print: quiet, printErr: quiet });
  const files = new library.FileList();
  // The only file there is: whatever it names beside itself does not exist for the library.
  files.AddFile(`model.${extension}`, bytes);
  const result = library.ConvertFileList(files, 'glb2');
  if (!result.IsSuccess() || result.FileCount() === 0) {
    const word = result.GetErrorCode().replaceAll('_', ' ');
    throw new Error(`the library that reads it ended with "${word}".`);
  }
  const io = (await createGltfIo()).setLogger(new Logger(Logger.Verbosity.SILENT));
  return readGlbWithMissingImages(io, Uint8Array.from(result.GetFile(0).GetContent()));
}

type GltfIo = Awaited<ReturnType<typeof createGltfIo>>;

/** Reads a GLB that names pictures beside itself: each becomes a texture without an image. */
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
  for (const [at, image] of (json.images ?? []).entries()) {
    if (typeof image.uri !== 'string') continue;
    image.name = image.uri;
    image.uri = `absent-${at}.png`;
    resources[image.uri] = new Uint8Array(0);
  }
  return io.readJSON({ json, resources });
}
