import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { DeferredFeatures, MountDeferredFeatures } from './deferred-features.ts';
import type { EventEmitter } from './event-emitter.ts';
import { ModelLoader } from './loader/model-loader.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import { createEnvironmentMap } from './renderer/environment-map.ts';
import { SceneRenderer } from './renderer/scene-renderer.ts';
import { requestFirstAsset } from './request-asset.ts';
import { boundsMatch } from './scene/model-bounds.ts';
import { toViewerError, ViewerError } from './viewer-error.ts';
import type { ViewerEvents, ViewerState } from './viewer-events.ts';

type ProgressiveLoaderOptions = {
  document: Document;
  config: ViewerConfig;
  events: EventEmitter<ViewerEvents>;
  /** Loads the script that the first frame does not need. */
  loadDeferredFeatures: () => Promise<MountDeferredFeatures>;
};

/** Loads a design and shows it: first its preview, then its model. Owns the state of the viewer. */
export class ProgressiveLoader implements Disposable {
  readonly #options: ProgressiveLoaderOptions;
  readonly #deferredFeatures: Promise<DeferredFeatures | undefined>;
  #startDeferredFeatures: () => void = () => {};
  #renderer: SceneRenderer | undefined;
  #state: ViewerState = 'loading';
  #stateBeforeFailure: ViewerState = 'loading';
  #model: LoadedModel | undefined;
  #isPreview = false;
  #background: Disposable | undefined;

  constructor(options: ProgressiveLoaderOptions) {
    this.#options = options;
    const firstFrame = new Promise<void>((resolve) => {
      this.#startDeferredFeatures = resolve;
    });
    this.#deferredFeatures = firstFrame.then(() => this.#mountDeferredFeatures());
  }

  get state(): ViewerState {
    return this.#state;
  }

  /** The preview or the model, whichever is shown. */
  get model(): LoadedModel | undefined {
    return this.#model;
  }

  /** Whether `model` is the preview. */
  get isPreview(): boolean {
    return this.#isPreview;
  }

  /** Undefined until the preview or the model is shown. */
  get renderer(): SceneRenderer | undefined {
    return this.#model && this.#renderer;
  }

  /** Resolves after the first frame, or to undefined if the script could not be loaded. */
  get deferredFeatures(): Promise<DeferredFeatures | undefined> {
    return this.#deferredFeatures;
  }

  /**
   * Loads the preview, if there is one, and the model. Errors are reported as events.
   *
   * @param firstResponse the response with the preview, or with the model if there is no preview
   */
  async load(firstResponse: Promise<Response>): Promise<void> {
    const { document, config } = this.#options;
    try {
      const canvas = document.querySelector('#view canvas') as HTMLCanvasElement;
      this.#renderer ??= new SceneRenderer(canvas, createEnvironmentMap());
      const loader = this.#createLoader(this.#renderer);
      if (config.preview === undefined || config.posterMode) {
        await this.#loadModel(this.#renderer, loader, firstResponse);
        return;
      }
      const { preview, modelResponse } = await loader.loadPreview(firstResponse);
      if (preview === undefined) await this.#loadModel(this.#renderer, loader, modelResponse);
      else {
        this.#show(this.#renderer, preview, { isPreview: true });
        await this.#replacePreview(this.#renderer, loader, modelResponse);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * After an error: loads the model again, and before it the preview unless that is shown. After the loss of
   * the WebGL context, continues with a new one.
   */
  async retry(): Promise<void> {
    if (this.renderer?.isContextLost) {
      (await this.#deferredFeatures)?.restoreContext();
      return;
    }
    if (this.#state === 'preview' && this.#renderer !== undefined) {
      const loader = this.#createLoader(this.#renderer);
      await this.#replacePreview(this.#renderer, loader, loader.requestModel());
    } else {
      this.#setState('loading');
      await this.load(requestFirstAsset(this.#options.config));
    }
  }

  /** Enters the state `failed` and reports the error. */
  fail(error: unknown): void {
    if (this.#state !== 'failed') this.#stateBeforeFailure = this.#state;
    this.#setState('failed');
    this.#options.events.emit('error', { error: toViewerError(error) });
  }

  /** Returns from the state `failed` to the previous state. */
  recover(): void {
    if (this.#state === 'failed') this.#setState(this.#stateBeforeFailure);
  }

  async #loadModel(
    renderer: SceneRenderer,
    loader: ModelLoader,
    response: Promise<Response>,
  ): Promise<void> {
    const { document, config } = this.#options;
    const model = await loader.loadModel(response);
    if (config.posterMode) {
      this.#draw(renderer, model);
      const { renderPosterFrame } = await import('./poster-mode.ts');
      await renderPosterFrame(renderer, document);
      this.#setState('ready');
    } else {
      this.#show(renderer, model, { isPreview: false });
      await this.#deferredFeatures;
    }
  }

  #show(renderer: SceneRenderer, model: LoadedModel, { isPreview }: { isPreview: boolean }): void {
    this.#draw(renderer, model);
    this.#setModel(model, isPreview);
    this.#setState(isPreview ? 'preview' : 'ready');
    this.#startDeferredFeatures();
  }

  #draw(renderer: SceneRenderer, model: LoadedModel): void {
    this.#background = model.mountSceneBackground?.(renderer, this.#options.document);
    renderer.setModel(model.root, model.bounds);
    performance.mark('cloche-first-frame');
  }

  /** Loads the model and replaces the preview with it. If that fails, the preview stays visible. */
  async #replacePreview(
    renderer: SceneRenderer,
    loader: ModelLoader,
    response: Promise<Response>,
  ): Promise<void> {
    try {
      const model = await loader.loadModel(response);
      const preview = this.#model;
      const deferredFeatures = await this.#deferredFeatures;
      await deferredFeatures?.precompile(model.root);
      this.#background ??= model.mountSceneBackground?.(renderer, this.#options.document);
      if (boundsMatch(renderer.viewCamera.bounds, model.bounds)) renderer.swapModel(model.root);
      else {
        renderer.setModel(model.root, model.bounds);
        deferredFeatures?.camera.jumpToDefaultView();
      }
      if (preview !== undefined) deferredFeatures?.disposeModel(preview.root);
      this.#setModel(model, false);
      performance.mark('cloche-model-frame');
      // The WebGL context may have been lost in the meantime.
      if (this.#state === 'failed') this.#stateBeforeFailure = 'ready';
      else this.#setState('ready');
    } catch (error) {
      this.#options.events.emit('error', { error: toViewerError(error) });
    }
  }

  #setModel(model: LoadedModel, isPreview: boolean): void {
    this.#model = model;
    this.#isPreview = isPreview;
    this.#options.events.emit('modelchange', { model, isPreview });
  }

  #setState(state: ViewerState): void {
    const previous = this.#state;
    this.#state = state;
    this.#options.document.documentElement.dataset.state = state;
    this.#options.events.emit('statechange', { state, previous });
  }

  #createLoader(renderer: SceneRenderer): ModelLoader {
    const { config, events } = this.#options;
    return new ModelLoader({
      config,
      renderer: renderer.webGLRenderer,
      onProgress: (progress) => events.emit('progress', progress),
    });
  }

  async #mountDeferredFeatures(): Promise<DeferredFeatures | undefined> {
    const { document, events, loadDeferredFeatures } = this.#options;
    // The model is then shown without controls.
    const mountDeferredFeatures = await loadDeferredFeatures().catch((cause: unknown) => {
      events.emit('error', { error: new ViewerError('controls', { cause }) });
      return undefined;
    });
    const deferredFeatures =
      this.#renderer &&
      mountDeferredFeatures?.({
        document,
        renderer: this.#renderer,
        emit: (event, payload) => events.emit(event, payload),
        fail: (error) => this.fail(error),
        recover: () => this.recover(),
      });
    // The style sheet now hides the poster: the model has its shadow, as on the poster.
    document.documentElement.dataset.interactive = '';
    return deferredFeatures;
  }

  [Symbol.dispose](): void {
    this.#background?.[Symbol.dispose]();
    this.#renderer?.[Symbol.dispose]();
    void this.#deferredFeatures.then((deferredFeatures) => deferredFeatures?.[Symbol.dispose]());
  }
}
