/** Optimizes one file, as the worker of the service does: `node optimize-file.ts in.glb out.glb`. */
import { readFile, writeFile } from 'node:fs/promises';
import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import { optimize } from '@cloche/pipeline/optimize/optimize';

const [, , from = '', to = ''] = process.argv;
const io = await createGltfIo();
const document = await io.readBinary(new Uint8Array(await readFile(from)));
const { model, preview } = await optimize(document, {}, () => undefined);
await writeFile(to, model);
if (preview) await writeFile(to.replace(/\.glb$/, '.preview.glb'), preview);
