import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { ModelBounds } from '../camera/framing.ts';
import { disposeModel, precompile } from '../renderer/precompile.ts';
import type { SceneRenderer } from '../renderer/scene-renderer.ts';
import { boundsMatch, fitBoundsToBox, measureBounds } from '../scene/model-bounds.ts';
import { limitLights } from '../scene/punctual-lights.ts';
import { type ParsedModel, parseModel } from './parse-model.ts';

/** A model that may go on stage. */
export type LoadedModel = { model: ParsedModel; bounds: ModelBounds };

/** Reads a file, measures it, and dims its lamps. @throws {Trouble} as `readModel`, and empty */
export async function prepareModel(
  file: ArrayBuffer,
  stage: SceneRenderer,
  { model: { bounds } }: ViewerConfig,
): Promise<LoadedModel> {
  const model = await parseModel(file, stage.renderer);
  const measured = measureBounds(model.root);
  const outline = bounds === undefined ? measured : fitBoundsToBox(measured, bounds);
  limitLights(model.root, outline);
  return { model, bounds: outline };
}

/** The first to come on stage, and the first to be seen. */
export function showModel(
  { model, bounds }: LoadedModel,
  stage: SceneRenderer,
  page: Document,
): void {
  model.mountSceneBackground?.(stage, page);
  stage.setModel(model.root, bounds);
  performance.mark('cloche-first-frame');
}

/**
 * The next one takes the place of the one before, in one frame and under the same camera; says
 * whether that was so. Where they are not alike, the camera goes where the next one is well seen.
 */
export async function replaceModel(
  { model, bounds }: LoadedModel,
  before: LoadedModel,
  { stage, page }: { stage: SceneRenderer; page: Document },
): Promise<boolean> {
  await precompile(model.root, stage);
  if (before.model.mountSceneBackground === undefined) model.mountSceneBackground?.(stage, page);
  const alike = boundsMatch(stage.bounds, bounds);
  if (alike) stage.swapModel(model.root);
  else stage.setModel(model.root, bounds);
  disposeModel(before.model.root);
  return alike;
}
