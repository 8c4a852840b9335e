/** Optimizes one file, as the service's child process does: `node ours.ts in.glb out.glb`. */
import { readFile, writeFile } from 'node:fs/promises';
import { openIo } from '../../server/src/pipeline/io.ts';
import { optimize } from '../../server/src/pipeline/optimize/optimize.ts';

const [, , from = '', to = ''] = process.argv;
const io = await openIo();
const document = await io.readBinary(new Uint8Array(await readFile(from)));
const { model, preview } = await optimize(document, {}, () => undefined);
await writeFile(to, model);
if (preview) await writeFile(to.replace(/\.glb$/, '.preview.glb'), preview);
