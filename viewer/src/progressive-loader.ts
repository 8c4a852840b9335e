import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { ViewerOptionName, ViewerOptions } from '@cloche/contract/viewer-options';
import type { Object3D } from 'three';
import type { DeferredFeatures, MountDeferredFeatures } from './deferred-features.ts';
import type { EventEmitter } from './event-emitter.ts';
import { loadDeferredMessages } from './i18n/load-deferred-messages.ts';
import { completeConfig } from './loader/complete-config.ts';
import { estimateDownloadMs } from './loader/estimate-download.ts';
import { findLargerGeometry } from './loader/geometry-levels.ts';
import { ModelLoader } from './loader/model-loader.ts';
import { importScript } from './loader/parse-model.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import { removeSmallGeometries } from './loader/select-geometry.ts';
import type { ModelScale } from './loader/select-texture-pack.ts';
import { measureModelScale } from './measure-model-scale.ts';
import type { ModelRole } from './options/apply-options.ts';
import { createEnvironmentMap } from './renderer/environment-map.ts';
import { precompile } from './renderer/precompile.ts';
import { useRoughMaterialShader } from './renderer/rough-material-shader.ts';
import type { SceneBackground } from './renderer/scene-background.ts';
import { SceneRenderer } from './renderer/scene-renderer.ts';
import { waitForGpu } from './renderer/wait-for-gpu.ts';
import { warmUp } from './renderer/warm-up.ts';
import { requestFirstAsset } from './request-asset.ts';
import { disposeModel } from './scene/dispose-model.ts';
import { boundsMatch } from './scene/model-bounds.ts';
import { toViewerError, ViewerError } from './viewer-error.ts';
import type { ViewerEvents, ViewerState } from './viewer-events.ts';

/** Time to read a response that has already arrived. */
const READ_MS = 20;
/** After this time without the controls, a notice says so. Slow connections load the model at the same time. */
const CONTROLS_TIMEOUT_MS = 30_000;
/** A model that arrives within this time is shown without its preview. */
const MAX_MODEL_WAIT_MS = 500;
/**
 * As above, if a poster hides the preview until the first touch and the model should have arrived already: the device is busy, with many embeds
 * for example, and drawing both would take it longer.
 */
const MAX_LATE_MODEL_WAIT_MS = 2500;

type ProgressiveLoaderOptions = {
  document: Document;
  config: ViewerConfig;
  /** The options that apply now. They may change. */
  options: ViewerOptions;
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
  /** Stays true while the model is unloaded. */
  #shown = false;
  readonly #lateOptions = new Set<ViewerOptionName>();
  #background: SceneBackground | undefined;
  readonly #disposed = new AbortController();

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

  /** Undefined until the preview or the model is shown. */
  get renderer(): SceneRenderer | undefined {
    return this.#shown ? this.#renderer : undefined;
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
    const { config } = this.#options;
    try {
      const loader = this.#createLoader();
      if (config.preview === undefined || config.posterMode)
        await this.#loadModel(loader.loadModel(firstResponse).model);
      else if (config.pendingModelUrl !== undefined)
        await this.#loadPreviewAndWait(loader, firstResponse);
      else await this.#loadPreviewAndModel(loader, firstResponse);
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Shows the canvas in place of the poster. Before that, the poster stays until the model is complete: the
   * preview is less sharp. Has no effect before the preview has been drawn.
   */
  reveal(): void {
    if (this.renderer === undefined) return;
    this.renderer.reveal();
    this.#options.document.documentElement.dataset.revealed = '';
    this.#options.events.emit('reveal', undefined);
  }

  /**
   * After an error: loads the model again, and before it the preview unless that is shown. After the loss of
   * the WebGL context, continues with a new one.
   */
  async retry(): Promise<void> {
    if (this.renderer?.isSuspended) {
      (await this.#deferredFeatures)?.resume();
      return;
    }
    if (this.#state === 'preview' && this.#renderer !== undefined) {
      await this.#replacePreview(this.#renderer, this.#requestModel());
    } else {
      this.#setState('loading');
      const { config, document } = this.#options;
      await this.load(requestFirstAsset(config, document.documentElement));
    }
  }

  /** Call this when options change, whether or not they can be applied at once. */
  noteOptionChanges(names: Iterable<ViewerOptionName>): void {
    if (this.#state !== 'ready') for (const name of names) this.#lateOptions.add(name);
  }

  /** Returns the options that have changed since the options were applied to the model, which was not shown then; only once. */
  takeLateOptions(): ReadonlySet<ViewerOptionName> {
    const names = new Set(this.#lateOptions);
    this.#lateOptions.clear();
    return names;
  }

  /** Draws with the background that the style sheet has now. */
  updateBackground(): void {
    this.#background?.update();
  }

  /** Enters the state `failed` and reports the error. */
  fail(error: unknown): void {
    if (this.#state !== 'failed') this.#stateBeforeFailure = this.#state;
    // A document that shows nothing needs no WebGL context.
    if (this.renderer === undefined) this.#renderer?.suspend();
    this.#setState('failed');
    this.#options.events.emit('error', { error: toViewerError(error) });
  }

  /** Returns from the state `failed` to the previous state. */
  recover(): void {
    if (this.#state === 'failed') this.#setState(this.#stateBeforeFailure);
  }

  /**
   * The model is requested after the preview has been downloaded: earlier, it would compete with the preview
   * and the scripts for bandwidth.
   */
  async #loadPreviewAndModel(loader: ModelLoader, firstResponse: Promise<Response>): Promise<void> {
    const download = loader.downloadPreview(firstResponse);
    const response = download.then(() => loader.requestModel());
    // Often the preview has already arrived. Then the model is requested before the renderer is opened, which
    // takes 0.1 s.
    await Promise.race([download, new Promise((resolve) => setTimeout(resolve, READ_MS))]);
    const renderer = this.#openRenderer();
    const previewFile = await download;
    const { bytes, files, model } = loader.loadModel(response);
    if (previewFile !== undefined && !(await this.#arriveSoon(files, bytes))) {
      let hasArrived = false;
      files
        .then(() => {
          hasArrived = true;
        })
        .catch(() => undefined);
      const preview = await loader.prepare(previewFile).catch(() => undefined);
      // The poster hides the preview until a touch.
      const isSuperseded = () => hasArrived && this.#hasPoster;
      if (preview !== undefined && !(await this.#showPreview(renderer, preview, isSuperseded)))
        return this.#showModelOrPreview(renderer, model, preview);
    }
    if (this.#isPreview) await this.#replacePreview(renderer, model);
    else await this.#showModel(renderer, await model);
  }

  /** Shows the preview of a design that is being processed, then waits for the model. */
  async #loadPreviewAndWait(loader: ModelLoader, response: Promise<Response>): Promise<void> {
    const file = await loader.downloadPreview(response);
    const preview = file && (await loader.prepare(file).catch(() => undefined));
    const renderer = this.#openRenderer();
    if (preview !== undefined) await this.#showPreview(renderer, preview);
    const model = this.#requestModel();
    if (this.#isPreview) await this.#replacePreview(renderer, model);
    else await this.#showModel(renderer, await model);
  }

  /** Requests and loads the model. If it is still being made, waits for it. */
  async #requestModel(shownScale?: ModelScale): Promise<LoadedModel> {
    const { config, document } = this.#options;
    if (config.pendingModelUrl !== undefined) {
      await completeConfig(config, document.documentElement, this.#disposed.signal);
      removeSmallGeometries(config, document.documentElement);
    }
    const loader = this.#createLoader();
    return loader.loadModel(loader.requestModel(shownScale)).model;
  }

  /** Waits for the files if they arrive soon. Drawing the preview would then only delay the model. */
  async #arriveSoon(files: Promise<unknown>, bytes: number): Promise<boolean> {
    const arrived = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const estimatedMs = estimateDownloadMs(bytes, arrived);
    if (estimatedMs > MAX_MODEL_WAIT_MS) return false;
    const waitMs = this.#hasPoster ? MAX_LATE_MODEL_WAIT_MS : MAX_MODEL_WAIT_MS;
    const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, waitMs, false));
    const areArrived = files.then(
      () => true,
      () => false,
    );
    return Promise.race([areArrived, timeout]);
  }

  async #loadModel(loading: Promise<LoadedModel>): Promise<void> {
    const { document, config } = this.#options;
    const renderer = this.#openRenderer();
    const model = await loading;
    if (config.posterMode) {
      await this.#draw(renderer, model);
      renderer.reveal();
      const { showPosterFrame } = await import('./poster-mode.ts');
      await showPosterFrame(renderer, document);
      this.#setState('ready');
    } else await this.#showModel(renderer, model);
  }

  /**
   * @param isSuperseded whether the model is to be drawn instead
   * @returns false if it is: then the preview is not shown
   */
  async #showPreview(
    renderer: SceneRenderer,
    preview: LoadedModel,
    isSuperseded = () => false,
  ): Promise<boolean> {
    if (isSuperseded()) return false;
    if (!(await this.#draw(renderer, preview, 'preview', isSuperseded))) return false;
    performance.mark('cloche-first-frame');
    this.#setModel(preview, true);
    this.#setState('preview');
    if (!this.#hasPoster) this.reveal();
    this.#startDeferredFeatures();
    return true;
  }

  /** Shows the model instead of a preview that it has superseded; if it cannot be shown, the preview. */
  async #showModelOrPreview(
    renderer: SceneRenderer,
    loading: Promise<LoadedModel>,
    preview: LoadedModel,
  ): Promise<void> {
    try {
      await this.#showModel(renderer, await loading);
    } catch (error) {
      await this.#showPreview(renderer, preview);
      this.#options.events.emit('error', { error: toViewerError(error) });
      return;
    }
    // Until then, both share shaders.
    disposeModel(preview.root);
  }

  async #showModel(renderer: SceneRenderer, model: LoadedModel): Promise<void> {
    await this.#draw(renderer, model);
    performance.mark('cloche-first-frame');
    this.#completeModel(model);
    this.#startDeferredFeatures();
    await this.#deferredFeatures;
  }

  #unloadModel(): Object3D | undefined {
    const root = this.#model?.root;
    this.#model = undefined;
    this.#renderer?.swapModel(undefined);
    return root;
  }

  async #reloadModel(prepare: (model: LoadedModel) => Promise<void>): Promise<boolean> {
    // The preview was shown: the model could not be loaded.
    const isFirst = this.#isPreview;
    try {
      if (this.#renderer === undefined) return false;
      const model = await this.#requestModel(measureModelScale(this.#renderer));
      await prepare(model);
      await this.#draw(this.#renderer, model, isFirst ? 'model' : 'reloaded');
      if (isFirst) this.#completeModel(model);
      else this.#model = model;
      return true;
    } catch (error) {
      this.#options.events.emit('error', { error: toViewerError(error) });
      return false;
    }
  }

  /** Replaces the preview with the model. If the model cannot be loaded, the preview stays. */
  async #replacePreview(renderer: SceneRenderer, loading: Promise<LoadedModel>): Promise<void> {
    try {
      const model = await loading;
      const preview = this.#model;
      await this.#draw(renderer, model);
      if (preview !== undefined) disposeModel(preview.root);
      this.#completeModel(model);
    } catch (error) {
      this.#options.events.emit('error', { error: toViewerError(error) });
    }
  }

  /**
   * Draws a model: for the first time, or in place of the preview and without moving the camera.
   *
   * @returns false if it is superseded: then it is not drawn
   */
  async #draw(
    renderer: SceneRenderer,
    model: LoadedModel,
    role: ModelRole = 'model',
    isSuperseded = () => false,
  ): Promise<boolean> {
    const { options } = this.#options;
    this.#lateOptions.clear();
    // Without options, the first frame does not need the script.
    if (Object.keys(options).length > 0) {
      const { applyOptions } = await importScript(import('./options/apply-options.ts'));
      await applyOptions(options, { renderer, model, role });
    }
    useRoughMaterialShader(model.root, renderer.webGLRenderer);
    renderer.environment.addReflectionsFor(model);
    try {
      // Without a context, everything is compiled and uploaded when there is one again.
      if (renderer.isSuspended) await model.images;
      else await precompile(model.root, renderer, model.images);
    } catch (error) {
      // It is not shown, and another attempt loads it again.
      disposeModel(model.root);
      throw error;
    }
    if (isSuperseded()) return false;
    this.#background ??= model.mountSceneBackground?.(renderer, this.#options.document);
    const { viewCamera } = renderer;
    if (viewCamera.hasModel && boundsMatch(viewCamera.bounds, model.bounds))
      renderer.swapModel(model.root);
    else {
      renderer.setModel(model.root, model.bounds);
      if (this.#isPreview)
        void this.#deferredFeatures.then((features) => features?.camera.jumpToDefaultView());
    }
    // The canvas is shown when its picture is complete, so that no frame waits for it.
    if (!renderer.isRevealed) await waitForGpu(renderer.webGLRenderer);
    return true;
  }

  /** Whether a sharp poster is shown, or was until the model replaced it. */
  get #hasPoster(): boolean {
    return this.#options.document.documentElement.dataset.poster !== undefined;
  }

  #completeModel(model: LoadedModel): void {
    this.#setModel(model, false);
    performance.mark('cloche-model-frame');
    // The WebGL context may have been lost in the meantime.
    if (this.#state === 'failed') this.#stateBeforeFailure = 'ready';
    else this.#setState('ready');
    if (!this.#awaitsGeometry(model)) this.reveal();
    // Otherwise geometry-upgrades.ts does it.
    else void this.#deferredFeatures.then((features) => features ?? this.reveal());
  }

  /** Whether the poster is sharper than the model until a larger geometry is shown. A model that moves is shown at once. */
  #awaitsGeometry({ geometryLevels, animations }: LoadedModel): boolean {
    const isStill = animations === undefined && !this.#options.options.autoRotate;
    if (!geometryLevels || !this.#renderer || !isStill || !this.#hasPoster) return false;
    return findLargerGeometry(geometryLevels, measureModelScale(this.#renderer)) !== undefined;
  }

  #setModel(model: LoadedModel, isPreview: boolean): void {
    this.#model = model;
    this.#isPreview = isPreview;
    this.#shown = true;
    this.#options.events.emit('modelchange', { model, isPreview });
  }

  #setState(state: ViewerState): void {
    const previous = this.#state;
    this.#state = state;
    this.#options.document.documentElement.dataset.state = state;
    this.#options.events.emit('statechange', { state, previous });
  }

  /** @throws {ViewerError} no-webgl */
  #openRenderer(): SceneRenderer {
    this.#renderer ??= this.#createRenderer();
    // After an error, the design is loaded again.
    if (!this.#shown) this.#renderer.resume();
    return this.#renderer;
  }

  #createRenderer(): SceneRenderer {
    const canvas = this.#options.document.querySelector('#view canvas') as HTMLCanvasElement;
    const renderer = new SceneRenderer(canvas, createEnvironmentMap());
    // It only prepares. What fails there fails again when the model is drawn.
    warmUp(renderer).catch(() => undefined);
    return renderer;
  }

  #createLoader(): ModelLoader {
    const { document, config, events } = this.#options;
    return new ModelLoader({
      config,
      view: document.getElementById('view') as HTMLElement,
      getRenderer: () => this.#openRenderer().webGLRenderer,
      onProgress: (progress) => events.emit('progress', progress),
    });
  }

  async #mountDeferredFeatures(): Promise<DeferredFeatures | undefined> {
    const { document, events, loadDeferredFeatures } = this.#options;
    // The model is then shown without controls.
    const fail = (cause?: unknown) =>
      events.emit('error', { error: new ViewerError('controls', { cause }) });
    const timer = setTimeout(fail, CONTROLS_TIMEOUT_MS);
    const [mountDeferredFeatures] = await Promise.all([
      loadDeferredFeatures(),
      loadDeferredMessages(document),
    ]).catch((cause: unknown) => {
      fail(cause);
      return [];
    });
    clearTimeout(timer);
    const deferredFeatures =
      this.#renderer &&
      mountDeferredFeatures?.({
        document,
        renderer: this.#renderer,
        emit: (event, payload) => events.emit(event, payload),
        getModel: () => (this.#isPreview ? undefined : this.#model),
        fail: (error) => this.fail(error),
        recover: () => this.recover(),
        unloadModel: () => this.#unloadModel(),
        reloadModel: (prepare) => this.#reloadModel(prepare),
      });
    document.documentElement.dataset.interactive = '';
    if (deferredFeatures !== undefined) events.emit('controlsready', undefined);
    return deferredFeatures;
  }

  [Symbol.dispose](): void {
    this.#disposed.abort();
    this.#background?.[Symbol.dispose]();
    this.#renderer?.[Symbol.dispose]();
    void this.#deferredFeatures.then((deferredFeatures) => deferredFeatures?.[Symbol.dispose]());
  }
}
