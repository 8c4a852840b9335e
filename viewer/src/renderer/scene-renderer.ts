import { NeutralToneMapping, type Object3D, Scene, type Texture, WebGLRenderer } from 'three';
import type { CameraView } from '../camera/framing.ts';
import { ViewCamera } from '../camera/view-camera.ts';
import type { ModelBounds } from '../scene/model-bounds.ts';
import { ViewerError } from '../viewer-error.ts';

/** Called before each frame with the seconds since the last frame. Returns whether to call it again. */
type FrameCallback = (seconds: number) => boolean;

const MAX_PIXEL_RATIO = 2;
/** Limits the time step after a pause, so that nothing jumps. */
const MAX_DELTA_SECONDS = 1 / 15;

/**
 * Draws a scene with one model. A frame is drawn only after a change, and only if the canvas is revealed and
 * in view.
 */
export class SceneRenderer implements Disposable {
  readonly scene = new Scene();
  readonly viewCamera = new ViewCamera();
  #canvas: HTMLCanvasElement;
  #webGLRenderer: WebGLRenderer;
  readonly #frameCallbacks = new Set<FrameCallback>();
  readonly #resizeObserver = new ResizeObserver(() => this.#resize());
  readonly #intersectionObserver: IntersectionObserver;
  #root: Object3D | undefined;
  #pendingFrame: number | undefined;
  #lastFrame: number | undefined;
  #visible = true;
  #revealed = false;
  #needsRender = false;
  /** CSS pixels and pixel ratio. */
  #size = '';

  /** @throws {ViewerError} no-webgl */
  constructor(canvas: HTMLCanvasElement, environment: Texture) {
    this.#canvas = canvas;
    this.#webGLRenderer = createWebGLRenderer(canvas);
    this.scene.environment = environment;
    this.#intersectionObserver = new IntersectionObserver(
      ([entry]) => entry && this.#setVisible(entry.isIntersecting),
    );
    this.#intersectionObserver.observe(canvas);
    this.#resizeObserver.observe(canvas);
    this.#resize();
  }

  /** Changes with `replaceCanvas`, like `webGLRenderer`. */
  get canvas(): HTMLCanvasElement {
    return this.#canvas;
  }

  get webGLRenderer(): WebGLRenderer {
    return this.#webGLRenderer;
  }

  get isContextLost(): boolean {
    return this.#webGLRenderer.getContext().isContextLost();
  }

  /** Whether the canvas is in view. */
  get isVisible(): boolean {
    return this.#visible;
  }

  /**
   * Continues on a new canvas with a new WebGL context, to which all data is uploaded again.
   *
   * @throws {ViewerError} no-webgl; then nothing has changed
   */
  replaceCanvas(): void {
    const canvas = this.#canvas.cloneNode() as HTMLCanvasElement;
    const webGLRenderer = createWebGLRenderer(canvas);
    this.#webGLRenderer.dispose();
    this.#intersectionObserver.unobserve(this.#canvas);
    this.#resizeObserver.unobserve(this.#canvas);
    this.#canvas.replaceWith(canvas);
    this.#canvas = canvas;
    this.#webGLRenderer = webGLRenderer;
    this.#size = '';
    this.#intersectionObserver.observe(canvas);
    this.#resizeObserver.observe(canvas);
    this.#resize();
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
    if (this.#needsRender && this.viewCamera.hasModel) this.render();
    if (this.#frameCallbacks.size > 0) this.requestRender();
  }

  /** Shows a model from its default view and draws it immediately. */
  setModel(root: Object3D, bounds: ModelBounds): void {
    this.#setRoot(root);
    this.viewCamera.frameModel(bounds);
    this.render();
  }

  /** Replaces the model, in one frame, without moving the camera. */
  swapModel(root: Object3D): void {
    this.#setRoot(root);
    this.render();
  }

  #setRoot(root: Object3D): void {
    if (this.#root !== undefined) this.scene.remove(this.#root);
    this.#root = root;
    this.scene.add(root);
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
    if (!this.#visible || !this.#revealed || !this.viewCamera.hasModel) return;
    this.#pendingFrame ??= requestAnimationFrame((now) => this.#onFrame(now));
  }

  /** Draws now. */
  render(): void {
    if (this.isContextLost) return;
    this.#needsRender = false;
    this.webGLRenderer.render(this.scene, this.viewCamera.camera);
  }

  /** Encodes the current picture as an image. */
  toBlob(type?: string, quality?: number): Promise<Blob> {
    return new Promise((resolve, reject) => {
      // In the same task as toBlob: after the task, the drawing buffer is empty.
      this.render();
      this.canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('The canvas could not be encoded.'))),
        type,
        quality,
      );
    });
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
    this.#visible = visible;
    if (visible && (this.#needsRender || this.#frameCallbacks.size > 0)) this.requestRender();
  }

  /** Draws in the same task, because changing the size of a canvas clears it. */
  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const pixelRatio = Math.min(devicePixelRatio, MAX_PIXEL_RATIO);
    const size = [width, height, pixelRatio] as const;
    // A canvas keeps its picture only if its size is not set again.
    if (size.join() === this.#size) return;
    this.#size = size.join();
    this.webGLRenderer.setDrawingBufferSize(...size);
    this.viewCamera.resize(width, height);
    if (!this.viewCamera.hasModel) return;
    if (this.#revealed) this.render();
    else this.#needsRender = true;
  }

  [Symbol.dispose](): void {
    this.#intersectionObserver.disconnect();
    this.#resizeObserver.disconnect();
    if (this.#pendingFrame !== undefined) cancelAnimationFrame(this.#pendingFrame);
    this.webGLRenderer.dispose();
  }
}

/** Creates the WebGL context first: if three.js creates it and fails, it logs an error to the console. */
function createWebGLRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  const attributes = { alpha: true, antialias: true, powerPreference: 'default' } as const;
  const context = canvas.getContext('webgl2', attributes) as WebGL2RenderingContext | null;
  if (context === null) throw new ViewerError('no-webgl');
  try {
    const renderer = new WebGLRenderer({ canvas, context, ...attributes });
    renderer.toneMapping = NeutralToneMapping;
    // Reading the logs would wait for the compiler. precompile.ts checks the result without waiting.
    renderer.debug.checkShaderErrors = false;
    return renderer;
  } catch (cause) {
    throw new ViewerError('no-webgl', { cause });
  }
}
