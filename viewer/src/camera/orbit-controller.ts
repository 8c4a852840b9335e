import type { SceneRenderer } from '../renderer/scene-renderer.ts';
import { pickPoint, type ScreenPoint } from '../scene/pick-point.ts';
import { type CameraView, cloneView } from './framing.ts';
import { Orbit } from './orbit.ts';

type OrbitControllerOptions = {
  prefersReducedMotion: () => boolean;
  /** Called when the camera starts to move to a goal, and when it has arrived. */
  onViewChange: (change: { view: CameraView; goal: CameraView }) => void;
};

/** Moves the camera of a renderer smoothly, frame by frame, until it is at rest. */
export class OrbitController {
  readonly #renderer: SceneRenderer;
  readonly #orbit: Orbit;
  readonly #onViewChange: OrbitControllerOptions['onViewChange'];

  constructor(
    renderer: SceneRenderer,
    { prefersReducedMotion, onViewChange }: OrbitControllerOptions,
  ) {
    const { defaultView, bounds } = renderer.viewCamera;
    this.#renderer = renderer;
    this.#orbit = new Orbit(defaultView, bounds.radius, prefersReducedMotion);
    this.#onViewChange = onViewChange;
  }

  /** Rotates the camera around its target. Radians. */
  rotate(azimuth: number, elevation: number): void {
    this.#change(() => this.#orbit.rotate(azimuth, elevation));
  }

  /** Moves the camera and its target. CSS pixels at the target. */
  pan(right: number, up: number): void {
    const { unitsPerPixel } = this.#renderer.viewCamera;
    this.#change(() => this.#orbit.pan(right * unitsPerPixel, up * unitsPerPixel));
  }

  /** Moves the camera closer (factor below 1) or away. */
  zoom(factor: number): void {
    this.#change(() => this.#orbit.zoom(factor));
  }

  /** Moves towards the point of the model that is visible at a position. On the background, resets. */
  focus(position: ScreenPoint): void {
    const { canvas, viewCamera, root } = this.#renderer;
    const point = pickPoint(position, { canvas, camera: viewCamera.camera, root });
    this.#change(() => (point === undefined ? this.#orbit.reset() : this.#orbit.focus(point)));
  }

  /** Returns to the default view. */
  reset(): void {
    this.#change(() => this.#orbit.reset());
  }

  /** Moves to a view. Omitted values do not change. */
  setView(view: Partial<CameraView>, { animate }: { animate: boolean }): void {
    this.#change(() => {
      this.#orbit.moveTo(view);
      if (!animate) this.#orbit.finish();
    });
  }

  /** Jumps to the default view of a new model. */
  jumpToDefaultView(): void {
    const { defaultView, bounds } = this.#renderer.viewCamera;
    this.#orbit.jumpTo(defaultView, bounds.radius);
  }

  #change(change: () => void): void {
    change();
    this.#renderer.addFrameCallback(this.#update);
    this.#emitViewChange();
  }

  readonly #update = (seconds: number): boolean => {
    const isMoving = this.#orbit.update(seconds);
    this.#renderer.setView(this.#orbit.view);
    if (!isMoving) this.#emitViewChange();
    return isMoving;
  };

  #emitViewChange(): void {
    const { view, goal } = this.#orbit;
    this.#onViewChange({ view: cloneView(view), goal: cloneView(goal) });
  }
}
