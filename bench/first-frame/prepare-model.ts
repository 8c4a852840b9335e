import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import { optimize } from '@cloche/pipeline/optimize/optimize';
import { getBounds } from '@gltf-transform/functions';
import type { SourceModel } from './source-models.ts';

/** A source file, and what the service makes from it. */
export type PreparedModel = {
  name: string;
  sourceFile: Uint8Array;
  model: Uint8Array;
  preview: Uint8Array;
  bounds: { min: [number, number, number]; max: [number, number, number] };
};

/** Processes a source file as the service does. */
export async function prepareModel({ name, file }: SourceModel): Promise<PreparedModel> {
  const io = await createGltfIo();
  const { model, preview } = await optimize(await io.readBinary(file), {}, () => {});
  const root = (await io.readBinary(model)).getRoot();
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  if (scene === undefined) throw new Error(`${name} has no scene.`);
  const { min, max } = getBounds(scene) as PreparedModel['bounds'];
  if (preview === undefined) throw new Error(`${name} is too small to have a preview.`);
  return { name, sourceFile: file, model, preview, bounds: { min, max } };
}
