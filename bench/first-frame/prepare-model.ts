import type { BoundingBox } from '@cloche/contract/viewer-config';
import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import { optimize } from '@cloche/pipeline/optimize/optimize';
import { computeSceneBounds } from '@cloche/pipeline/optimize/scene-bounds';
import type { SourceModel } from './source-models.ts';

/** A source file with the model and the preview that the service makes from it. */
export type PreparedModel = {
  name: string;
  sourceFile: Uint8Array;
  model: Uint8Array;
  preview: Uint8Array;
  bounds: BoundingBox;
};

/** Processes a source file as the service does. */
export async function prepareModel({ name, file }: SourceModel): Promise<PreparedModel> {
  const io = await createGltfIo();
  const { model, preview } = await optimize(await io.readBinary(file), {}, () => {});
  const bounds = computeSceneBounds(await io.readBinary(model));
  if (bounds === undefined) throw new Error(`${name} has an empty scene.`);
  if (preview === undefined) throw new Error(`${name} is too small to have a preview.`);
  return { name, sourceFile: file, model, preview, bounds };
}
