import { getBounds } from '@gltf-transform/functions';
import { openIo } from '../../server/src/pipeline/io.ts';
import { optimize } from '../../server/src/pipeline/optimize/optimize.ts';
import type { Upload } from './models.ts';

/** A model in the forms that are measured against each other. */
export type Made = {
  name: string;
  upload: Uint8Array;
  model: Uint8Array;
  preview: Uint8Array;
  bounds: { min: [number, number, number]; max: [number, number, number] };
};

/** Makes of an upload what the service makes of it. */
export async function make({ name, file }: Upload): Promise<Made> {
  const io = await openIo();
  const { model, preview } = await optimize(await io.readBinary(file), {}, () => {});
  const read = await io.readBinary(model);
  const scene = read.getRoot().getDefaultScene() ?? read.getRoot().listScenes()[0];
  if (scene === undefined) throw new Error(`${name} has no scene.`);
  const { min, max } = getBounds(scene) as Made['bounds'];
  if (preview === undefined) throw new Error(`${name} needs no preview.`);
  return { name, upload: file, model, preview, bounds: { min, max } };
}
