import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { WebGLRenderer } from 'three';
import { limitLights } from '../scene/limit-lights.ts';
import { fitBoundsToBox, type ModelBounds, measureBounds } from '../scene/model-bounds.ts';
import { type ParsedModel, parseModel } from './parse-model.ts';
import type { TextureLevels } from './texture-levels.ts';

/** A model that can be shown, with its bounds. */
export type LoadedModel = ParsedModel & {
  bounds: ModelBounds;
  /** Undefined for a preview, and for a file that has all its images. */
  textureLevels: TextureLevels | undefined;
};

/**
 * Parses a file, measures the model, limits its lights and adds its shadow.
 *
 * @param textureLevels the images of a geometry
 * @throws {ViewerError} as `parseModel`
 */
export async function prepareModel(
  file: ArrayBuffer,
  renderer: WebGLRenderer,
  { model: { bounds: box } }: ViewerConfig,
  textureLevels?: TextureLevels,
): Promise<LoadedModel> {
  const model = await parseModel(file, renderer, textureLevels);
  const measured = measureBounds(model.root);
  const bounds = box === undefined ? measured : fitBoundsToBox(measured, box);
  limitLights(model.root, bounds);
  if (model.shadow) model.root.add(model.shadow);
  return { ...model, bounds, textureLevels };
}
