import type { PickResult, ScreenshotOptions } from '@cloche/contract/message';
import { createArgumentProblem } from '../argument-problem.ts';
import type { SceneRenderer } from '../renderer/scene-renderer.ts';
import { takeScreenshot } from '../renderer/screenshot.ts';
import type { PartMethods } from './part-methods.ts';

type PictureMethodsOptions = {
  renderer: SceneRenderer;
  parts: PartMethods;
  /** Runs a task when the model can be drawn. */
  whileDrawable: <T>(task: () => Promise<T>) => Promise<T>;
};

/** What can be read from the picture of a model. */
export class PictureMethods {
  readonly #options: PictureMethodsOptions;

  constructor(options: PictureMethodsOptions) {
    this.#options = options;
  }

  /**
   * Encodes a picture of the current view, also if the model is out of view.
   *
   * @throws {ViewerProblem} as `takeScreenshot`
   */
  toBlob(options: ScreenshotOptions): Promise<Blob> {
    const { renderer, whileDrawable } = this.#options;
    return whileDrawable(() => takeScreenshot(renderer, options));
  }

  /**
   * Returns the visible point of the model at a position; null on the background. CSS pixels.
   *
   * @throws {ViewerProblem} viewer.invalid-argument
   */
  pick(x: number, y: number): Promise<PickResult | null> {
    if (!Number.isFinite(x)) throw createArgumentProblem('x', 'a number of CSS pixels');
    if (!Number.isFinite(y)) throw createArgumentProblem('y', 'a number of CSS pixels');
    return this.#options.whileDrawable(async () => this.#options.parts.pick({ x, y }));
  }
}
