import { releaseEmbeddedImages } from './loader/embedded-images.ts';
import type { TextureLevels } from './loader/texture-levels.ts';
import { measureModelScale } from './measure-model-scale.ts';
import { observeSize } from './observe-size.ts';
import { yieldToEventLoop } from './renderer/precompile.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';
import { collectTextures } from './scene/model-materials.ts';
import type { Viewer } from './viewer.ts';

/** After an error, the larger textures are not requested again for this time. */
const RETRY_DELAY_MS = 30_000;

/**
 * Loads larger textures when the screen can show them: after zooming in, in fullscreen, in a larger iframe.
 * Textures are never replaced by smaller ones.
 */
export class TextureUpgrades implements Disposable {
  readonly #viewer: Viewer;
  readonly #renderer: SceneRenderer;
  readonly #subscriptions: readonly Disposable[];
  #running: { size: number; abortController: AbortController } | undefined;
  #retryAt = 0;

  constructor(viewer: Viewer, renderer: SceneRenderer, view: HTMLElement) {
    this.#viewer = viewer;
    this.#renderer = renderer;
    this.#subscriptions = [
      viewer.on('modelchange', () => this.#onModelChange()),
      viewer.on('viewchange', ({ goal }) => this.#check(goal.zoom)),
      viewer.on('contextlost', () => this.#abort()),
      observeSize(view, () => this.#check()),
      viewer.on('contextrestored', () => this.#onModelChange()),
    ];
    this.#onModelChange();
  }

  get #levels(): TextureLevels | undefined {
    return this.#viewer.model?.textureLevels;
  }

  #onModelChange(): void {
    this.#abort();
    const { model } = this.#viewer;
    // The materials of other variants may need another copy of an image on the GPU. Without a context, nothing is uploaded.
    if (model && model.variants === undefined && !this.#renderer.isSuspended) {
      const { webGLRenderer } = this.#renderer;
      model.textureLevels?.release(webGLRenderer, collectTextures(model.root));
      releaseEmbeddedImages(model, webGLRenderer);
    }
    this.#check();
  }

  #check(zoom?: number): void {
    if (this.#levels === undefined || this.#renderer.isSuspended) return;
    const scale = measureModelScale(this.#renderer, zoom);
    const pack = this.#levels.findLarger(scale, this.#renderer.webGLRenderer);
    if (pack === undefined || pack.size <= (this.#running?.size ?? 0)) return;
    if (performance.now() < this.#retryAt) return;
    this.#abort();
    void this.#replace(this.#levels, pack);
  }

  async #replace(
    levels: TextureLevels,
    pack: NonNullable<ReturnType<TextureLevels['findLarger']>>,
  ): Promise<void> {
    const { model } = this.#viewer;
    if (model === undefined) return;
    const abortController = new AbortController();
    const running = { size: pack.size, abortController };
    this.#running = running;
    const assertActive = () => {
      // The model may have been unloaded, and its context given to another document.
      if (this.#renderer.isSuspended || this.#levels !== levels) abortController.abort();
      abortController.signal.throwIfAborted();
    };
    try {
      await levels.replace(pack, {
        renderer: this.#renderer.webGLRenderer,
        used: collectTextures(model.root),
        signal: abortController.signal,
        assertActive,
        yieldToEventLoop,
      });
      this.#renderer.requestRender();
    } catch {
      // The smaller textures stay: they are no reason to disturb a visitor.
      if (!abortController.signal.aborted) this.#retryAt = performance.now() + RETRY_DELAY_MS;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  #abort(): void {
    this.#running?.abortController.abort();
    this.#running = undefined;
  }

  [Symbol.dispose](): void {
    this.#abort();
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }
}
