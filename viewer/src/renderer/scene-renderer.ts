import { type Object3D, Scene, type Texture, type WebGLRenderer } from 'three';
import type { CameraView } from '../camera/framing.ts';
import { ViewCamera } from '../camera/view-camera.ts';
import { observeSize } from '../observe-size.ts';
import { observeVisibility } from '../observe-visibility.ts';
import { getPixelRatio } from '../pixel-ratio.ts';
import type { ModelBounds } from '../scene/model-bounds.ts';
import { type ContextHandler, ContextMember } from './context-member.ts';
import type { EnvironmentMap } from './environment-map.ts';
import type { Surface } from './surface.ts';

/** Called before each frame with the seconds since the last frame. Returns whether to call it again. */
type FrameCallback = (seconds: number) => boolean;

/** Limits the time step after a pause, so that nothing jumps. */
const MAX_DELTA_SECONDS = 1 / 15;

/**
 * Draws a scene with one model. A frame is drawn only after a change, and only if the canvas is revealed and
 * in view.
 */
export class SceneRenderer implements Disposable {
  readonly scene = new Scene();
  readonly viewCamera = new ViewCamera();
  readonly environment: EnvironmentMap;
  readonly #view: HTMLElement;
  readonly #contextMember: ContextMember;
  /** The canvas in the document. After `resume`, the canvas of the surface replaces it with the first frame. */
  #canvas: HTMLCanvasElement;
  #surface: Surface;
  #suspended = false;
  readonly #frameCallbacks = new Set<FrameCallback>();
  readonly #sizeObserver: Disposable;
  readonly #intersectionObserver: IntersectionObserver;
  #root: Object3D | undefined;
  #pendingFrame: number | undefined;
  #lastFrame: number | undefined;
  #revealed = false;
  #needsRender = false;
  /** CSS pixels and pixel ratio. */
  #size = '';
  #exposure = 1;

  /** @throws {ViewerError} no-webgl */
  constructor(canvas: HTMLCanvasElement, environment: EnvironmentMap) {
    this.environment = environment;
    this.#canvas = canvas;
    this.#view = canvas.parentElement as HTMLElement;
    this.#contextMember = new ContextMember();
    this.#surface = this.#contextMember.openSurface(canvas);
    this.scene.environment = environment.texture;
    this.#intersectionObserver = observeVisibility(this.#view, (visible) =>
      this.#setVisible(visible),
    );
    this.#sizeObserver = observeSize(this.#view, () => this.#resize());
    this.#resize();
  }

  /** Changes with `suspend` and `resume`. */
  get canvas(): HTMLCanvasElement {
    return this.#canvas;
  }

  /** Changes with `resume`. */
  get surface(): Surface {
    return this.#surface;
  }

  get webGLRenderer(): WebGLRenderer {
    return this.#surface.webGLRenderer;
  }

  /** The factor of the brightness of the model. A new context has it, too. */
  set exposure(factor: number) {
    this.#exposure = factor;
    this.webGLRenderer.toneMappingExposure = factor;
  }

  get isSuspended(): boolean {
    return this.#suspended;
  }

  /** Whether the canvas is in view. */
  get isVisible(): boolean {
    return this.#contextMember.inView;
  }

  /** Whether the context is shared with other framed documents of the page. */
  get sharesContext(): boolean {
    return this.#contextMember.held === 'shared';
  }

  /** Whether the browser may take the context for another frame, without asking. */
  get mayLoseContext(): boolean {
    return this.#contextMember.mayBeLost;
  }

  /** Sets who decides when to suspend and resume. */
  setContextHandler(handler: ContextHandler): void {
    this.#contextMember.setHandler(handler);
  }

  /**
   * Frees the WebGL context. The current picture stays visible, or `picture` in its place. Nothing is drawn
   * until `resume`.
   */
  suspend(picture = this.takePicture()): void {
    if (this.#suspended) return;
    this.#suspended = true;
    this.#showCanvas(picture);
    // They outlive the renderer, and would keep it in memory.
    this.scene.environment?.dispose();
    (this.scene.background as Texture | null)?.dispose();
    this.#contextMember.onSurfaceClosing();
    this.#surface[Symbol.dispose]();
  }

  /**
   * Draws again, with a new WebGL context, to which all data is uploaded again.
   *
   * @throws {ViewerError} no-webgl; then nothing has changed
   */
  resume(): void {
    if (!this.#suspended) return;
    this.#surface = this.#contextMember.openSurface(this.#canvas.cloneNode() as HTMLCanvasElement);
    this.exposure = this.#exposure;
    this.#suspended = false;
    this.#size = '';
    this.#resize();
  }

  /** Draws and copies the picture. */
  takePicture(): HTMLCanvasElement {
    this.render();
    const picture = this.#canvas.cloneNode() as HTMLCanvasElement;
    if (picture.width > 0 && picture.height > 0)
      picture.getContext('2d')?.drawImage(this.#canvas, 0, 0);
    return picture;
  }

  get hasModel(): boolean {
    return this.#root !== undefined;
  }

  /** The model that is shown. Can be read only after `setModel`. */
  get root(): Object3D {
    if (this.#root === undefined) throw new Error('No model has been shown yet.');
    return this.#root;
  }

  /**
   * Whether the canvas is shown. Until then, the poster is in its place, and only `setModel` and `swapModel`
   * draw.
   */
  get isRevealed(): boolean {
    return this.#revealed;
  }

  /** Call this together with showing the canvas. Draws again only if something has changed since the last frame. */
  reveal(): void {
    if (this.#revealed) return;
    this.#revealed = true;
    if (this.#needsRender) this.render();
    if (this.#frameCallbacks.size > 0) this.requestRender();
  }

  /** Shows a model from its default view and draws it immediately. */
  setModel(root: Object3D, bounds: ModelBounds): void {
    this.#setRoot(root);
    this.viewCamera.frameModel(bounds);
    this.render();
  }

  /** Replaces the model, in one frame, without moving the camera. Without a model, nothing is drawn. */
  swapModel(root: Object3D | undefined): void {
    this.#setRoot(root);
    this.render();
  }

  #setRoot(root: Object3D | undefined): void {
    if (this.#root !== undefined) this.scene.remove(this.#root);
    this.#root = root;
    if (root !== undefined) this.scene.add(root);
  }

  /** Places the camera and requests a frame. */
  setView(view: CameraView): void {
    this.viewCamera.setView(view);
    this.requestRender();
  }

  /** Calls a function before each frame, until it returns false or is removed. */
  addFrameCallback(callback: FrameCallback): void {
    this.#frameCallbacks.add(callback);
    this.requestRender();
  }

  removeFrameCallback(callback: FrameCallback): void {
    this.#frameCallbacks.delete(callback);
  }

  /** Requests one frame, unless one is pending. If the canvas is not visible, the frame is drawn when it is. */
  requestRender(): void {
    this.#needsRender = true;
    if (!this.isVisible || !this.#revealed || !this.#canDraw) return;
    this.#pendingFrame ??= requestAnimationFrame((now) => this.#onFrame(now));
  }

  /** Draws now. */
  render(): void {
    if (!this.#canDraw) return;
    this.#needsRender = false;
    this.webGLRenderer.render(this.scene, this.viewCamera.camera);
    this.#surface.present();
    this.#showCanvas(this.#surface.canvas);
  }

  get #canDraw(): boolean {
    return !this.#suspended && this.#root !== undefined && this.viewCamera.hasModel;
  }

  #showCanvas(canvas: HTMLCanvasElement): void {
    if (canvas === this.#canvas) return;
    this.#canvas.replaceWith(canvas);
    this.#canvas = canvas;
  }

  #onFrame(now: number): void {
    const seconds = Math.min((now - (this.#lastFrame ?? now - 16)) / 1000, MAX_DELTA_SECONDS);
    for (const callback of [...this.#frameCallbacks])
      if (!callback(seconds)) this.#frameCallbacks.delete(callback);
    this.#lastFrame = this.#frameCallbacks.size > 0 ? now : undefined;
    // Cleared after the callbacks, so that their requests do not cause another frame.
    this.#pendingFrame = undefined;
    this.render();
    if (this.#frameCallbacks.size > 0) this.requestRender();
  }

  #setVisible(visible: boolean): void {
    this.#contextMember.setInView(visible);
    if (!visible) this.#cancelFrame();
    else if (this.#needsRender || this.#frameCallbacks.size > 0) this.requestRender();
  }

  #cancelFrame(): void {
    if (this.#pendingFrame !== undefined) cancelAnimationFrame(this.#pendingFrame);
    this.#pendingFrame = undefined;
  }

  /** Draws in the size of the frame again, after a picture of another size; if the frame has none now, as soon as it has. */
  restoreSize(): void {
    this.#size = '';
    this.#resize();
  }

  /** Draws in the same task, because changing the size of a canvas clears it. */
  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#view;
    if (this.#suspended || width === 0 || height === 0) return;
    const pixelRatio = getPixelRatio();
    const size = [width, height, pixelRatio] as const;
    // A canvas keeps its picture only if its size is not set again.
    if (size.join() === this.#size) return;
    this.#size = size.join();
    this.#surface.setSize(...size);
    this.viewCamera.resize(width, height);
    if (this.#revealed) this.render();
    else this.#needsRender = true;
  }

  [Symbol.dispose](): void {
    this.#intersectionObserver.disconnect();
    this.#sizeObserver[Symbol.dispose]();
    this.#cancelFrame();
    this.#contextMember[Symbol.dispose]();
    if (!this.#suspended) this.#surface[Symbol.dispose]();
  }
}

/** The size of the frame, CSS pixels. */
export function getFrameSize({ canvas }: SceneRenderer): { width: number; height: number } {
  const { clientWidth: width, clientHeight: height } = canvas.parentElement as HTMLElement;
  return { width, height };
}
