import {
  NeutralToneMapping,
  type Object3D,
  PerspectiveCamera,
  Scene,
  type Texture,
  WebGLRenderer,
} from 'three';
import { fitDistance, homeView, type Outline, placeCamera, type View } from './framing.ts';
import { Trouble } from './trouble.ts';

/** Something that moves: told the seconds since the last frame, says whether it goes on. */
export type Mover = (seconds: number) => boolean;

const FOV_Y_DEGREES = 30;
const FOV_Y = (FOV_Y_DEGREES * Math.PI) / 180;
const MAX_PIXEL_RATIO = 2;
/** After a pause a frame tells no more than this, so nothing leaps. */
const MAX_STEP_SECONDS = 1 / 15;

/** The canvas and what stands on it. Draws only when something changed and somebody can see it. */
export class Stage implements Disposable {
  readonly canvas: HTMLCanvasElement;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FOV_Y_DEGREES, 1);
  readonly renderer: WebGLRenderer;
  readonly #movers = new Set<Mover>();
  readonly #onResize = new ResizeObserver(() => this.#resize());
  readonly #onSeen: IntersectionObserver;
  #root: Object3D | undefined;
  #outline: Outline | undefined;
  #home: View | undefined;
  #view: View | undefined;
  #pending: number | undefined;
  #lastFrame: number | undefined;
  #seen = true;

  /** @throws {Trouble} no-webgl */
  constructor(canvas: HTMLCanvasElement, light: Texture) {
    this.canvas = canvas;
    this.renderer = openRenderer(canvas);
    this.scene.environment = light;
    this.#onSeen = new IntersectionObserver(([entry]) => entry && this.#see(entry.isIntersecting));
    this.#onSeen.observe(canvas);
    this.#onResize.observe(canvas);
    this.#resize();
  }

  /** Puts a model on stage, stands the camera at its home, and draws the first frame at once. */
  show(root: Object3D, outline: Outline): void {
    this.#putOn(root);
    this.#outline = outline;
    this.#home = homeView(outline);
    this.#view = this.#home;
    this.#place(this.#home);
    this.draw();
  }

  /** Puts a model in the place of the one on stage, in one frame; the camera stays where it is. */
  swap(root: Object3D): void {
    this.#putOn(root);
    this.draw();
  }

  #putOn(root: Object3D): void {
    if (this.#root !== undefined) this.scene.remove(this.#root);
    this.#root = root;
    this.scene.add(root);
  }

  /** What is framed. Only when a model is shown. */
  get outline(): Outline {
    if (this.#outline === undefined) throw new Error('Nothing is on stage.');
    return this.#outline;
  }

  /** The view from which a model was first seen. Only when one is shown. */
  get home(): View {
    if (this.#home === undefined) throw new Error('Nothing is on stage.');
    return this.#home;
  }

  /** The distance between camera and target at zoom 1, in the present shape of the frame. */
  get fittedDistance(): number {
    return fitDistance(this.outline, this.home, FOV_Y, this.camera.aspect);
  }

  /** World units per CSS pixel at the target. */
  get unitsPerPixel(): number {
    const distance = this.fittedDistance * (this.#view?.zoom ?? 1);
    return (2 * distance * Math.tan(FOV_Y / 2)) / Math.max(this.canvas.clientHeight, 1);
  }

  /** Stands the camera at a view, and asks for a frame. */
  stand(view: View): void {
    this.#view = view;
    this.#place(view);
    this.redraw();
  }

  #place(view: View): void {
    const distance = this.fittedDistance * view.zoom;
    placeCamera(this.camera, view, { outline: this.outline, distance });
  }

  /** Calls `mover` before every frame from now on, for as long as it says that it goes on. */
  move(mover: Mover): void {
    this.#movers.add(mover);
    this.redraw();
  }

  /** Takes a mover off the stage before it has come to its end. */
  halt(mover: Mover): void {
    this.#movers.delete(mover);
  }

  /** Asks for one frame. Asking twice before it comes is asking once; unseen, it waits. */
  redraw(): void {
    if (!this.#seen || this.#outline === undefined) return;
    this.#pending ??= requestAnimationFrame((now) => this.#frame(now));
  }

  /** Draws now. */
  draw(): void {
    if (!this.renderer.getContext().isContextLost()) this.renderer.render(this.scene, this.camera);
  }

  #frame(now: number): void {
    const seconds = Math.min((now - (this.#lastFrame ?? now - 16)) / 1000, MAX_STEP_SECONDS);
    for (const mover of [...this.#movers]) if (!mover(seconds)) this.#movers.delete(mover);
    this.#lastFrame = this.#movers.size > 0 ? now : undefined;
    // Only now: what the movers asked for is drawn in this very frame.
    this.#pending = undefined;
    this.draw();
    if (this.#movers.size > 0) this.redraw();
  }

  #see(seen: boolean): void {
    this.#seen = seen;
    if (seen) this.redraw();
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
    this.#place(this.#view);
    this.draw();
  }

  [Symbol.dispose](): void {
    this.#onSeen.disconnect();
    this.#onResize.disconnect();
    if (this.#pending !== undefined) cancelAnimationFrame(this.#pending);
    this.renderer.dispose();
  }
}

/** Asks for the context itself: three.js would write its absence to the console. */
function openRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  const attributes = { alpha: true, antialias: true, powerPreference: 'default' } as const;
  const context = canvas.getContext('webgl2', attributes) as WebGL2RenderingContext | null;
  if (context === null) throw new Trouble('no-webgl');
  try {
    const renderer = new WebGLRenderer({ canvas, context, ...attributes });
    renderer.toneMapping = NeutralToneMapping;
    return renderer;
  } catch (cause) {
    throw new Trouble('no-webgl', { cause });
  }
}
