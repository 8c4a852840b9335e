import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { LoadedModel } from '../loader/prepare-model.ts';
import { setShadowIntensity } from '../renderer/contact-shadow.ts';
import type { SceneRenderer } from '../renderer/scene-renderer.ts';
import { createStartView } from './camera-options.ts';
import { selectByName } from './select-by-name.ts';

/** `reloaded`: the model was shown before. The variant and the animation are then those that were selected last. */
export type ModelRole = 'preview' | 'model' | 'reloaded';

/** Applies options to a model that is to be drawn. A document without options does not load this script. */
export async function applyOptions(
  options: ViewerOptions,
  { renderer, model, role }: { renderer: SceneRenderer; model: LoadedModel; role: ModelRole },
): Promise<void> {
  applyToRenderer(options, renderer);
  if (model.shadow) setShadowIntensity(model.shadow, options.shadowIntensity ?? 1);
  if (role === 'model') await selectByName(options, model);
}

/** Applies the options that do not change a model. */
export function applyToRenderer(options: ViewerOptions, renderer: SceneRenderer): void {
  renderer.exposure = options.exposure ?? 1;
  renderer.viewCamera.adjustDefaultView = (view, measureFit) =>
    createStartView(options, view, measureFit);
}
