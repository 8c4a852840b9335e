import {
  NeutralToneMapping,
  type Object3D,
  PerspectiveCamera,
  Scene,
  type Texture,
  WebGLRenderer,
} from 'three';
import {
  type CameraView,
  computeDefaultView,
  fitDistance,
  type ModelBounds,
  placeCamera,
} from '../camera/framing.ts';
import { ViewerError } from '../viewer-error.ts';

/** Something that moves: told the seconds since the last frame, says whether it goes on. */
export type FrameCallback = (seconds: number) => boolean;

const FOV_Y_DEGREES = 30;
const FOV_Y = (FOV_Y_DEGREES * Math.PI) / 180;
const MAX_PIXEL_RATIO = 2;
/** After a pause a frame tells no more than this, so nothing leaps. */
const MAX_DELTA_SECONDS = 1 / 15;

/** The canvas and what stands on it. Draws only when something changed and somebody can see it. */
export class SceneRenderer implements Disposable {
  readonly canvas: HTMLCanvasElement;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FOV_Y_DEGREES, 1);
  readonly renderer: WebGLRenderer;
  readonly #frameCallbacks = new Set<FrameCallback>();
  readonly #resizeObserver = new ResizeObserver(() => this.#resize());
  readonly #intersectionObserver: IntersectionObserver;
  #root: Object3D | undefined;
  #bounds: ModelBounds | undefined;
  #defaultView: CameraView | undefined;
  #view: CameraView | undefined;
  #pendingFrame: number | undefined;
  #lastFrame: number | undefined;
  #visible = true;

  /** @throws {ViewerError} no-webgl */
  constructor(canvas: HTMLCanvasElement, light: Texture) {
    this.canvas = canvas;
    this.renderer = createWebGLRenderer(canvas);
    this.scene.environment = light;
    this.#intersectionObserver = new IntersectionObserver(
      ([entry]) => entry && this.#setVisible(entry.isIntersecting),
    );
    this.#intersectionObserver.observe(canvas);
    this.#resizeObserver.observe(canvas);
    this.#resize();
  }

  /** Puts a model on stage, stands the camera at its home, and draws the first frame at once. */
  setModel(root: Object3D, outline: ModelBounds): void {
    this.#setRoot(root);
    this.#bounds = outline;
    this.#defaultView = computeDefaultView(outline);
    this.#view = this.#defaultView;
    this.#applyView(this.#defaultView);
    this.render();
  }

  /** Puts a model in the place of the one on stage, in one frame; the camera stays where it is. */
  swapModel(root: Object3D): void {
    this.#setRoot(root);
    this.render();
  }

  #setRoot(root: Object3D): void {
    if (this.#root !== undefined) this.scene.remove(this.#root);
    this.#root = root;
    this.scene.add(root);
  }

  /** What is framed. Only when a model is shown. */
  get bounds(): ModelBounds {
    if (this.#bounds === undefined) throw new Error('Nothing is on stage.');
    return this.#bounds;
  }

  /** The view from which a model was first seen. Only when one is shown. */
  get defaultView(): CameraView {
    if (this.#defaultView === undefined) throw new Error('Nothing is on stage.');
    return this.#defaultView;
  }

  /** The distance between camera and target at zoom 1, in the present shape of the frame. */
  get fittedDistance(): number {
    return fitDistance(this.bounds, this.defaultView, FOV_Y, this.camera.aspect);
  }

  /** World units per CSS pixel at the target. */
  get unitsPerPixel(): number {
    const distance = this.fittedDistance * (this.#view?.zoom ?? 1);
    return (2 * distance * Math.tan(FOV_Y / 2)) / Math.max(this.canvas.clientHeight, 1);
  }

  /** Stands the camera at a view, and asks for a frame. */
  setView(view: CameraView): void {
    this.#view = view;
    this.#applyView(view);
    this.requestRender();
  }

  #applyView(view: CameraView): void {
    const distance = this.fittedDistance * view.zoom;
    placeCamera(this.camera, view, { outline: this.bounds, distance });
  }

  /** Calls `mover` before every frame from now on, for as long as it says that it goes on. */
  addFrameCallback(mover: FrameCallback): void {
    this.#frameCallbacks.add(mover);
    this.requestRender();
  }

  /** Takes a mover off the stage before it has come to its end. */
  removeFrameCallback(mover: FrameCallback): void {
    this.#frameCallbacks.delete(mover);
  }

  /** Asks for one frame. Asking twice before it comes is asking once; unseen, it waits. */
  requestRender(): void {
    if (!this.#visible || this.#bounds === undefined) return;
    this.#pendingFrame ??= requestAnimationFrame((now) => this.#onFrame(now));
  }

  /** Draws now. */
  render(): void {
    if (!this.renderer.getContext().isContextLost()) this.renderer.render(this.scene, this.camera);
  }

  #onFrame(now: number): void {
    const seconds = Math.min((now - (this.#lastFrame ?? now - 16)) / 1000, MAX_DELTA_SECONDS);
    for (const mover of [...this.#frameCallbacks])
      if (!mover(seconds)) this.#frameCallbacks.delete(mover);
    this.#lastFrame = this.#frameCallbacks.size > 0 ? now : undefined;
    // Only now: what the movers asked for is drawn in this very frame.
    this.#pendingFrame = undefined;
    this.render();
    if (this.#frameCallbacks.size > 0) this.requestRender();
  }

  #setVisible(seen: boolean): void {
    this.#visible = seen;
    if (seen) this.requestRender();
  }

  /** Draws in the same turn: a canvas of a new size is blank until it is drawn. */
  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, MAX_PIXEL_RATIO));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.#view === undefined) return;
    this.#applyView(this.#view);
    this.render();
  }

  [Symbol.dispose](): void {
    this.#intersectionObserver.disconnect();
    this.#resizeObserver.disconnect();
    if (this.#pendingFrame !== undefined) cancelAnimationFrame(this.#pendingFrame);
    this.renderer.dispose();
  }
}

/** Asks for the context itself: three.js would write its absence to the console. */
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
