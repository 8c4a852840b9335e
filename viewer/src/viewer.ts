import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { type CameraView, cloneView } from './camera/framing.ts';
import type { OrbitController } from './camera/orbit-controller.ts';
import type { DeferredFeatures, DeferredFeaturesContext } from './deferred-features.ts';
import { EventEmitter } from './event-emitter.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import { ProgressiveLoader } from './progressive-loader.ts';
import type { AnimationPlayer } from './scene/animation-player.ts';
import type { MaterialVariants } from './scene/material-variants.ts';
import type { ScreenPoint } from './scene/pick-point.ts';
import type { ViewerEvents, ViewerState } from './viewer-events.ts';

type ViewerOptions = {
  document: Document;
  config: ViewerConfig;
  /** Loads the script that the first frame does not need: camera movement and controls. */
  loadDeferredFeatures: () => Promise<
    (viewer: Viewer, context: DeferredFeaturesContext) => DeferredFeatures
  >;
};

/**
 * The viewer of a framed document: loads a design, shows it, and moves the camera. Pointer, keyboard,
 * toolbar and menus use only these methods.
 *
 * Camera movements that are requested before the deferred features have loaded are carried out
 * afterwards, in order.
 */
export class Viewer implements Disposable {
  readonly #document: Document;
  readonly #events = new EventEmitter<ViewerEvents>();
  readonly #loader: ProgressiveLoader;
  readonly #disposal = new AbortController();
  #playing = false;

  constructor({ document, config, loadDeferredFeatures }: ViewerOptions) {
    this.#document = document;
    this.#loader = new ProgressiveLoader({
      document,
      config,
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

  /** The preview or the model, whichever is shown. */
  get model(): LoadedModel | undefined {
    return this.#loader.model;
  }

  /**
   * Loads and shows the design. Errors are reported as events.
   *
   * @param firstResponse the response with the preview, or with the model if there is no preview
   */
  load(firstResponse: Promise<Response>): Promise<void> {
    return this.#loader.load(firstResponse);
  }

  /** After an error: loads the design again, or only its model if the preview is shown. */
  retry(): Promise<void> {
    return this.#loader.retry();
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

  /** Moves the camera to a view. Omitted values do not change. */
  setView(view: Partial<CameraView>, { animate = true } = {}): Promise<void> {
    return this.#moveCamera((camera) => camera.setView(view, { animate }));
  }

  resetView(): Promise<void> {
    return this.#moveCamera((camera) => camera.reset());
  }

  /** Rotates the camera around its target. Radians. */
  rotate(azimuth: number, elevation: number): Promise<void> {
    return this.#moveCamera((camera) => camera.rotate(azimuth, elevation));
  }

  /** Moves the camera and its target. CSS pixels at the target. */
  pan(right: number, up: number): Promise<void> {
    return this.#moveCamera((camera) => camera.pan(right, up));
  }

  /** Moves the camera closer (factor below 1) or away. */
  zoom(factor: number): Promise<void> {
    return this.#moveCamera((camera) => camera.zoom(factor));
  }

  /** Moves the camera towards the point that is visible at a position. On the background, resets it. */
  focus(position: ScreenPoint): Promise<void> {
    return this.#moveCamera((camera) => camera.focus(position));
  }

  /** Untrusted text. Empty strings for animations without a name. */
  get animationNames(): readonly string[] {
    return this.#animations?.clipNames ?? [];
  }

  get playing(): boolean {
    return this.#playing;
  }

  play(): void {
    this.#setPlaying(true);
  }

  pause(): void {
    this.#setPlaying(false);
  }

  /** Selects an animation, from its start. It plays if an animation was playing. */
  selectAnimation(index: number): void {
    this.#animations?.selectClip(index);
    this.#loader.renderer?.requestRender();
    this.#emitAnimationChange();
  }

  /** Untrusted text. Empty strings for variants without a name. */
  get variantNames(): readonly string[] {
    return this.#variants?.names ?? [];
  }

  /** Applies a variant; undefined restores the default materials of the file. */
  async selectVariant(index: number | undefined): Promise<void> {
    const variants = this.#variants;
    await variants?.select(index);
    // Another variant may have been selected in the meantime.
    if (variants === undefined || variants.selected !== index) return;
    this.#events.emit('variantchange', { index });
    this.#loader.renderer?.requestRender();
  }

  /** Encodes the current picture as an image, PNG by default. */
  async screenshot(type?: string, quality?: number): Promise<Blob> {
    const { renderer } = this.#loader;
    if (renderer === undefined) throw new Error('No model has been shown yet.');
    return renderer.toBlob(type, quality);
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

  exitFullscreen(): Promise<void> {
    return this.#document.exitFullscreen();
  }

  [Symbol.dispose](): void {
    this.#disposal.abort();
    this.#events.clear();
    this.#loader[Symbol.dispose]();
  }

  /** Undefined for the preview, like the variants. */
  get #animations(): AnimationPlayer | undefined {
    return this.#loader.isPreview ? undefined : this.model?.animations;
  }

  get #variants(): MaterialVariants | undefined {
    return this.#loader.isPreview ? undefined : this.model?.variants;
  }

  #setPlaying(playing: boolean): void {
    const { renderer } = this.#loader;
    const animations = this.#animations;
    if (animations === undefined || renderer === undefined) return;
    this.#playing = playing;
    if (playing) renderer.addFrameCallback(animations.update);
    else renderer.removeFrameCallback(animations.update);
    this.#emitAnimationChange();
  }

  #emitAnimationChange(): void {
    const index = this.#animations?.index;
    if (index === undefined) return;
    this.#events.emit('animationchange', { playing: this.#playing, index });
  }

  async #moveCamera(move: (camera: OrbitController) => void): Promise<void> {
    const deferredFeatures = await this.#loader.deferredFeatures;
    if (deferredFeatures === undefined) return;
    this.hidePoster();
    move(deferredFeatures.camera);
  }
}
