import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { WebGLRenderer } from 'three';
import { limitLights } from '../scene/limit-lights.ts';
import { fitBoundsToBox, type ModelBounds, measureBounds } from '../scene/model-bounds.ts';
import type { GeometryLevels } from './geometry-levels.ts';
import { listGeometries, type ParsedModel, parseModel } from './parse-model.ts';
import type { TextureLevels } from './texture-levels.ts';

/** A model that can be shown, with its bounds. */
export type LoadedModel = ParsedModel & {
  bounds: ModelBounds;
  /** Undefined for a preview, and for a file that has all its images. */
  textureLevels: TextureLevels | undefined;
  /** Undefined for a preview, and for a model that has one geometry. */
  geometryLevels: GeometryLevels | undefined;
};

/** What ModelLoader knows about the levels of a geometry. */
export type ModelParts = {
  /** The images of the geometry. */
  textureLevels?: TextureLevels | undefined;
  geometryLevels?: Omit<GeometryLevels, 'objects'> | undefined;
};

/**
 * Parses a file, measures the model unless the file has its framing points, limits its lights and adds its shadow.
 *
 * @throws {ViewerError} as `parseModel`
 */
export async function prepareModel(
  file: ArrayBuffer,
  renderer: WebGLRenderer,
  { model: { bounds: box } }: ViewerConfig,
  { textureLevels, geometryLevels }: ModelParts = {},
): Promise<LoadedModel> {
  const model = await parseModel(file, renderer, textureLevels);
  // Before objects are added to those of the file.
  const objects = listGeometries(model.root);
  // `measureBounds` does it too. Without it, the matrices of the objects would be set with the first frame only.
  model.root.updateWorldMatrix(true, true);
  const measured = model.storedBounds ?? measureBounds(model.root);
  const bounds = box === undefined ? measured : fitBoundsToBox(measured, box);
  limitLights(model.root, bounds);
  if (model.shadow) model.root.add(model.shadow);
  return {
    ...model,
    bounds,
    textureLevels,
    geometryLevels: geometryLevels && { ...geometryLevels, objects },
  };
}
