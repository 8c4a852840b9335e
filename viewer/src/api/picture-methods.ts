import type { ScreenshotOptions } from '@cloche/contract/message';
import type { SceneRenderer } from '../renderer/scene-renderer.ts';
import { takeScreenshot } from '../renderer/screenshot.ts';

type PictureMethodsOptions = {
  renderer: SceneRenderer;
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
}
