import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import { optimize } from '@cloche/pipeline/optimize/optimize';
import { getBounds } from '@gltf-transform/functions';
import type { SourceModel } from './source-models.ts';

/** A model in the forms that are measured against each other. */
export type PreparedModel = {
  name: string;
  sourceFile: Uint8Array;
  model: Uint8Array;
  preview: Uint8Array;
  bounds: { min: [number, number, number]; max: [number, number, number] };
};

/** Makes of an upload what the service makes of it. */
export async function prepareModel({ name, file }: SourceModel): Promise<PreparedModel> {
  const io = await createGltfIo();
  const { model, preview } = await optimize(await io.readBinary(file), {}, () => {});
  const read = await io.readBinary(model);
  const scene = read.getRoot().getDefaultScene() ?? read.getRoot().listScenes()[0];
  if (scene === undefined) throw new Error(`${name} has no scene.`);
  const { min, max } = getBounds(scene) as PreparedModel['bounds'];
  if (preview === undefined) throw new Error(`${name} needs no preview.`);
  return { name, sourceFile: file, model, preview, bounds: { min, max } };
}
