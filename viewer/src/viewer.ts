import type {
  AnimationInfo,
  AnimationState,
  CameraChange,
  CameraMovement,
  CameraState,
  PartNode,
  PickResult,
  ScreenshotOptions,
  ViewerMethods,
} from '@cloche/contract/message';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { type CameraView, cloneView } from './camera/framing.ts';
import type {
  DeferredFeatures,
  DeferredFeaturesContext,
  DeferredMethods,
} from './deferred-features.ts';
import { EventEmitter } from './event-emitter.ts';
import { importScript } from './loader/parse-model.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import { ObservedState } from './observed-state.ts';
import { ProgressiveLoader } from './progressive-loader.ts';
import type { ScreenPoint } from './scene/cast-ray.ts';
import { ViewerError } from './viewer-error.ts';
import type { CameraSource, ViewerEvents, ViewerState } from './viewer-events.ts';

type ViewerDependencies = {
  document: Document;
  config: ViewerConfig;
  /** Starts to load the design, if that has not happened yet. */
  load: () => void;
  /** Loads the script that the first frame does not need: camera movement and controls. */
  loadDeferredFeatures: () => Promise<
    (viewer: Viewer, context: DeferredFeaturesContext) => DeferredFeatures
  >;
};

/**
 * The viewer of a framed document: loads a design, shows it, and moves the camera. Pointer, keyboard,
 * toolbar, menus and the host page use only these methods. Those of `ViewerMethods` have the same arguments and results.
 *
 * Methods of the camera that are called before the deferred features have loaded are carried out afterwards, in order. The
 * others wait for the model, and reject with `viewer.not-ready` if it cannot be loaded. Errors have a `code`: that of a
 * ViewerProblem, or of a ViewerError.
 */
export class Viewer implements Disposable {
  readonly #document: Document;
  readonly #config: ViewerConfig;
  readonly #events = new EventEmitter<ViewerEvents>();
  readonly #loader: ProgressiveLoader;
  readonly #disposal = new AbortController();
  readonly #observed = new ObservedState(this.#events);
  readonly #options: ViewerOptions;
  /** From the first change of options on. */
  #lateOptions: Disposable | undefined;

  /** Loads the design now, with the option `loading=click` or out of view. */
  readonly load: () => void;

  constructor({ document, config, load, loadDeferredFeatures }: ViewerDependencies) {
    this.#document = document;
    this.#config = config;
    this.#options = { ...config.options };
    this.load = load;
    this.#loader = new ProgressiveLoader({
      document,
      config,
      options: this.#options,
      events: this.#events,
      loadDeferredFeatures: async () => {
        const mountDeferredFeatures = await loadDeferredFeatures();
        return (context) => mountDeferredFeatures(this, context);
      },
    });
    document.addEventListener(
      'fullscreenchange',
      () => this.#events.emit('fullscreenchange', { active: this.isFullscreen }),
      { signal: this.#disposal.signal },
    );
  }

  /** Calls the listener for each event of that name, until the result is disposed. */
  on<Name extends keyof ViewerEvents>(
    event: Name,
    listener: (payload: ViewerEvents[Name]) => void,
  ): Disposable {
    return this.#events.on(event, listener);
  }

  get state(): ViewerState {
    return this.#loader.state;
  }

  /** Why the state is `failed`, or why the model has not replaced the preview. */
  get error(): ViewerError | undefined {
    return this.#observed.error;
  }

  /** The preview or the model, whichever is shown. */
  get model(): LoadedModel | undefined {
    return this.#loader.model;
  }

  /**
   * Shows the design as it loads. Errors are reported as events.
   *
   * @param firstResponse the response with the preview, or with the model if there is no preview
   */
  start(firstResponse: Promise<Response>): Promise<void> {
    return this.#loader.load(firstResponse);
  }

  /** After an error: loads the design again, or only its model if the preview is shown. */
  retry(): Promise<void> {
    return this.#loader.retry();
  }

  /** The options that apply now. Those that are absent have their defaults. */
  getOptions(): ViewerOptions {
    return { ...this.#options };
  }

  /**
   * Changes options; null restores the default. Either all changes are valid, or none is made. `loading`, `poster` and `lang`
   * have no effect after the start.
   *
   * @throws {ViewerProblem} viewer.invalid-argument, viewer.unknown-variant, viewer.unknown-animation
   * @throws {ViewerError} script
   */
  async setOptions(changes: Parameters<ViewerMethods['setOptions']>[0]): Promise<void> {
    const { applyLateOptions, changeOptions } = await importScript(
      import('./options/change-options.ts'),
    );
    const target = {
      ...{ document: this.#document, config: this.#config, options: this.#options },
      ...{ loader: this.#loader, viewer: this },
    };
    if (this.#lateOptions === undefined)
      this.#lateOptions = this.on('statechange', ({ state }) => {
        if (state === 'ready') void applyLateOptions(target);
      });
    const changed = await changeOptions(changes, target);
    this.#events.emit('optionschange', { changed });
  }

  /**
   * Shows the 3D view in place of the poster, as each movement of the camera does. Otherwise the poster stays
   * until the model is complete. Has no effect before the preview or the model is shown.
   */
  hidePoster(): void {
    this.#loader.reveal();
  }

  /** The current view of the camera. Undefined until the preview or the model is shown. */
  get view(): CameraView | undefined {
    const { renderer } = this.#loader;
    return renderer && cloneView(renderer.viewCamera.view);
  }

  /** The view in which the model is first shown. */
  get defaultView(): CameraView | undefined {
    const { renderer } = this.#loader;
    return renderer && cloneView(renderer.viewCamera.defaultView);
  }

  getCamera(): Promise<CameraState> {
    return this.#call(({ camera }) => camera.getCamera());
  }

  /** Resolves when the camera has arrived, or when another movement has replaced this one. */
  setCamera(
    change: CameraChange,
    movement: CameraMovement = {},
    source: CameraSource = 'api',
  ): Promise<void> {
    return this.#moveCamera(({ methods }) => methods.camera.setCamera(change, movement, source));
  }

  /** Moves the camera to the default view. Resolves as `setCamera`. */
  resetCamera(movement: CameraMovement = {}, source: CameraSource = 'api'): Promise<void> {
    return this.#moveCamera(({ methods }) => methods.camera.resetCamera(movement, source));
  }

  /** Moves the camera, in its present direction, so that a part, or all that is visible, fills the frame. */
  frame(part?: number, movement: CameraMovement = {}, source: CameraSource = 'api'): Promise<void> {
    return this.#moveCamera(async ({ methods, whenModelLoaded }) => {
      await whenModelLoaded();
      await methods.parts.frame(part, movement, source);
    });
  }

  /** Rotates the camera around its target. Radians. */
  rotate(azimuth: number, elevation: number): Promise<void> {
    return this.#moveCamera(({ camera }) => camera.rotate(azimuth, elevation));
  }

  /** Moves the camera and its target. CSS pixels at the target. */
  pan(right: number, up: number): Promise<void> {
    return this.#moveCamera(({ camera }) => camera.pan(right, up));
  }

  /** Moves the camera closer (factor below 1) or away. */
  zoom(factor: number): Promise<void> {
    return this.#moveCamera(({ camera }) => camera.zoom(factor));
  }

  /** Moves the camera towards the point that is visible at a position. On the background, resets it. */
  focus(position: ScreenPoint): Promise<void> {
    return this.#moveCamera(({ camera }) => camera.focus(position));
  }

  /** Names of the material variants. Untrusted text. */
  getVariants(): Promise<string[]> {
    return this.#callModel(({ variants }) => variants.getVariants());
  }

  /** The selected variant; null for the materials of the file. */
  getVariant(): Promise<string | null> {
    return this.#callModel(({ variants }) => variants.getVariant());
  }

  setVariant(name: string | null): Promise<void> {
    return this.#callModel(({ variants }) => variants.setVariant(name));
  }

  /** Names are untrusted text. */
  getAnimations(): Promise<AnimationInfo[]> {
    return this.#callModel(({ animations }) => animations.getAnimations());
  }

  /** The selected animation; null if the model has none. */
  getAnimation(): Promise<AnimationState | null> {
    return this.#callModel(({ animations }) => animations.getAnimation());
  }

  /** Whether the selected animation plays. Undefined if there is none yet. */
  get playing(): boolean | undefined {
    return this.#observed.animation?.playing;
  }

  /** Selects an animation, from its start. It plays if an animation was playing. */
  selectAnimation(name: string): Promise<void> {
    return this.#callModel(({ animations }) => animations.selectAnimation(name));
  }

  play(): Promise<void> {
    return this.#callModel(({ animations }) => animations.play());
  }

  pause(): Promise<void> {
    return this.#callModel(({ animations }) => animations.pause());
  }

  /** Moves to a time of the selected animation. Seconds. */
  seek(time: number): Promise<void> {
    return this.#callModel(({ animations }) => animations.seek(time));
  }

  /** The parts of the model, as a tree. */
  getParts(): Promise<PartNode[]> {
    return this.#callModel(({ parts }) => parts.getParts());
  }

  showParts(ids: readonly number[]): Promise<void> {
    return this.#callModel(({ parts }) => parts.showParts(ids));
  }

  hideParts(ids: readonly number[]): Promise<void> {
    return this.#callModel(({ parts }) => parts.hideParts(ids));
  }

  /** Shows only these parts. */
  isolateParts(ids: readonly number[]): Promise<void> {
    return this.#callModel(({ parts }) => parts.isolateParts(ids));
  }

  /** Replaces the base color of parts; null restores their materials. */
  setPartColor(ids: readonly number[], color: string | null): Promise<void> {
    return this.#callModel(({ parts }) => parts.setPartColor(ids, color));
  }

  /** Shows all parts with their own materials. */
  resetParts(): Promise<void> {
    return this.#callModel(({ parts }) => parts.resetParts());
  }

  /** Whether the option `autoRotate` is set and the visitor does not prefer reduced motion. */
  get canAutoRotate(): boolean {
    return this.#observed.autoRotation.available;
  }

  /** Whether the model rotates, or will rotate again some time after the visitor has touched it. */
  get autoRotating(): boolean {
    return this.#observed.autoRotation.active;
  }

  /** Stops the rotation until it is started again. Has no effect if the model cannot rotate. */
  async setAutoRotating(active: boolean): Promise<void> {
    (await this.#getFeatures()).autoRotation.setActive(active);
  }

  /** Encodes a picture of the current view. */
  toBlob(options: ScreenshotOptions = {}): Promise<Blob> {
    return this.#callModel(({ picture }) => picture.toBlob(options));
  }

  /** The visible point of the model at a position; null on the background. CSS pixels. */
  pick(x: number, y: number): Promise<PickResult | null> {
    return this.#callModel(({ picture }) => picture.pick(x, y));
  }

  /** Whether the host page, the browser and the device allow fullscreen. */
  get canEnterFullscreen(): boolean {
    return this.#document.fullscreenEnabled;
  }

  get isFullscreen(): boolean {
    return this.#document.fullscreenElement !== null;
  }

  /** Must be called in response to user input. Rejects if the browser refuses. */
  enterFullscreen(): Promise<void> {
    return this.#document.documentElement.requestFullscreen();
  }

  async exitFullscreen(): Promise<void> {
    if (this.isFullscreen) await this.#document.exitFullscreen();
  }

  [Symbol.dispose](): void {
    this.#disposal.abort();
    this.#events.clear();
    this.#loader[Symbol.dispose]();
  }

  /** Calls a method after the first frame. */
  async #call<T>(call: (methods: DeferredMethods) => T): Promise<Awaited<T>> {
    return await call((await this.#getFeatures()).methods);
  }

  /** Calls a method after the model has been shown. */
  async #callModel<T>(call: (methods: DeferredMethods) => T): Promise<Awaited<T>> {
    const features = await this.#getFeatures();
    await features.whenModelLoaded();
    return await call(features.methods);
  }

  async #moveCamera(move: (features: DeferredFeatures) => void | Promise<void>): Promise<void> {
    const features = await this.#getFeatures();
    this.hidePoster();
    await move(features);
  }

  /** Waits for the first frame. @throws {ViewerError} controls */
  async #getFeatures(): Promise<DeferredFeatures> {
    const features = await this.#loader.deferredFeatures;
    if (features === undefined) throw new ViewerError('controls');
    return features;
  }
}
