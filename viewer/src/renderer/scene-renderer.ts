import { NeutralToneMapping, type Object3D, Scene, type Texture, WebGLRenderer } from 'three';
import type { CameraView } from '../camera/framing.ts';
import { ViewCamera } from '../camera/view-camera.ts';
import type { ModelBounds } from '../scene/model-bounds.ts';
import { ViewerError } from '../viewer-error.ts';

/** Called before a frame with the seconds since the last one. Returns whether it is called again. */
export type FrameCallback = (seconds: number) => boolean;

const MAX_PIXEL_RATIO = 2;
/** Limits the time step after a pause, so that nothing jumps. */
const MAX_DELTA_SECONDS = 1 / 15;

/** Draws a scene with one model, only when something has changed and the canvas is in sight. */
export class SceneRenderer implements Disposable {
  readonly canvas: HTMLCanvasElement;
  readonly scene = new Scene();
  readonly viewCamera = new ViewCamera();
  readonly renderer: WebGLRenderer;
  readonly #frameCallbacks = new Set<FrameCallback>();
  readonly #resizeObserver = new ResizeObserver(() => this.#resize());
  readonly #intersectionObserver: IntersectionObserver;
  #root: Object3D | undefined;
  #pendingFrame: number | undefined;
  #lastFrame: number | undefined;
  #visible = true;

  /** @throws {ViewerError} no-webgl */
  constructor(canvas: HTMLCanvasElement, environment: Texture) {
    this.canvas = canvas;
    this.renderer = createWebGLRenderer(canvas);
    this.scene.environment = environment;
    this.#intersectionObserver = new IntersectionObserver(
      ([entry]) => entry && this.#setVisible(entry.isIntersecting),
    );
    this.#intersectionObserver.observe(canvas);
    this.#resizeObserver.observe(canvas);
    this.#resize();
  }

  /** The model that is shown. Requires `setModel`. */
  get root(): Object3D {
    if (this.#root === undefined) throw new Error('No model has been shown yet.');
    return this.#root;
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

  /** Requests one frame. It is drawn when the canvas is in sight; further requests add nothing. */
  requestRender(): void {
    if (!this.#visible || !this.viewCamera.hasModel) return;
    this.#pendingFrame ??= requestAnimationFrame((now) => this.#onFrame(now));
  }

  /** Draws now. */
  render(): void {
    if (this.renderer.getContext().isContextLost()) return;
    this.renderer.render(this.scene, this.viewCamera.camera);
  }

  /** Encodes what is shown as an image. */
  toBlob(type?: string, quality?: number): Promise<Blob> {
    return new Promise((resolve, reject) => {
      // In the same task as toBlob: later the drawing buffer is empty.
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
    // Cleared after the callbacks: what they request is drawn in this frame.
    this.#pendingFrame = undefined;
    this.render();
    if (this.#frameCallbacks.size > 0) this.requestRender();
  }

  #setVisible(visible: boolean): void {
    this.#visible = visible;
    if (visible) this.requestRender();
  }

  /** Draws in the same task: a canvas is blank after its size was changed. */
  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, MAX_PIXEL_RATIO));
    this.renderer.setSize(width, height, false);
    this.viewCamera.resize(width, height);
    if (this.viewCamera.hasModel) this.render();
  }

  [Symbol.dispose](): void {
    this.#intersectionObserver.disconnect();
    this.#resizeObserver.disconnect();
    if (this.#pendingFrame !== undefined) cancelAnimationFrame(this.#pendingFrame);
    this.renderer.dispose();
  }
}

/** Creates the context itself: without WebGL, three.js would write an error to the console. */
function createWebGLRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  const attributes = { alpha: true, antialias: true, powerPreference: 'default' } as const;
  const context = canvas.getContext('webgl2', attributes) as WebGL2RenderingContext | null;
  if (context === null) throw new ViewerError('no-webgl');
  try {
    const renderer = new WebGLRenderer({ canvas, context, ...attributes });
    renderer.toneMapping = NeutralToneMapping;
    return renderer;
  } catch (cause) {
    throw new ViewerError('no-webgl', { cause });
  }
}
