import type { CameraMovement } from '@cloche/contract/message';
import { getFrameSize, type SceneRenderer } from '../renderer/scene-renderer.ts';
import { castRay, type ScreenPoint } from '../scene/cast-ray.ts';
import type { CameraSource } from '../viewer-events.ts';
import { type CameraView, cloneView } from './framing.ts';
import { Orbit } from './orbit.ts';
import type { ViewLimits } from './view-limits.ts';

type OrbitControllerOptions = {
  prefersReducedMotion: () => boolean;
  /** Called when the camera starts to move to a goal, and when it has arrived. */
  onViewChange: (change: { view: CameraView; goal: CameraView }) => void;
  getLimits: () => ViewLimits;
  /** Called when the camera has another position. */
  onMove: (source: CameraSource) => void;
};

/** Moves the camera of a renderer smoothly, frame by frame, until it is at rest. */
export class OrbitController {
  readonly #renderer: SceneRenderer;
  readonly #orbit: Orbit;
  readonly #options: OrbitControllerOptions;
  #source: CameraSource = 'user';
  /** Called when the camera has arrived, or another movement replaces this one. */
  #resolveMovement: (() => void) | undefined;

  constructor(renderer: SceneRenderer, options: OrbitControllerOptions) {
    const { defaultView, bounds } = renderer.viewCamera;
    this.#renderer = renderer;
    this.#orbit = new Orbit(defaultView, bounds.radius, options.prefersReducedMotion);
    this.#orbit.getLimits = options.getLimits;
    this.#options = options;
  }

  /** The view that the camera moves to, or has. */
  get goal(): Readonly<CameraView> {
    return this.#orbit.goal;
  }

  /** Rotates the camera around its target. Radians. */
  rotate(azimuth: number, elevation: number): void {
    this.#start('user', () => this.#orbit.rotate(azimuth, elevation));
  }

  /** Moves the camera and its target. CSS pixels at the target. */
  pan(right: number, up: number): void {
    const { unitsPerPixel } = this.#renderer.viewCamera;
    this.#start('user', () => this.#orbit.pan(right * unitsPerPixel, up * unitsPerPixel));
  }

  /** Moves the camera closer (factor below 1) or away. */
  zoom(factor: number): void {
    this.#start('user', () => this.#orbit.zoom(factor));
  }

  /** Moves towards the point of the model that is visible at a position. On the background, resets. */
  focus(position: ScreenPoint): void {
    const { viewCamera, root } = this.#renderer;
    const { camera, unitsPerPixel: tolerance } = viewCamera;
    const frame = getFrameSize(this.#renderer);
    const point = castRay(position, { frame, camera, root, tolerance })?.point;
    this.#start('user', () =>
      point === undefined ? this.#orbit.reset() : this.#orbit.focus(point),
    );
  }

  /** Moves to the default view. Resolves as `moveTo`. */
  reset(movement: CameraMovement, source: CameraSource): Promise<void> {
    return this.#move(movement, source, () => this.#orbit.reset());
  }

  /**
   * Moves to a view. Omitted values do not change. Resolves when the camera has arrived, or when another movement has
   * replaced this one.
   */
  moveTo(view: Partial<CameraView>, movement: CameraMovement, source: CameraSource): Promise<void> {
    return this.#move(movement, source, () => this.#orbit.moveTo(view));
  }

  /** Moves to a view as `moveTo`, also closer than a visitor can. */
  moveCloseTo(
    view: Partial<CameraView> & { zoom: number },
    movement: CameraMovement,
    source: CameraSource,
  ): Promise<void> {
    return this.#move(movement, source, () => {
      this.#orbit.allowZoom(view.zoom);
      this.#orbit.moveTo(view);
    });
  }

  /**
   * Rotates the camera around the model for one frame, without a goal. Returns whether it has reached a limit. Radians.
   *
   * Waits for a movement that the page has started: its promise resolves when the camera has arrived.
   */
  spin(azimuth: number): boolean {
    if (this.#resolveMovement !== undefined) return false;
    const isAtLimit = this.#orbit.spin(azimuth);
    this.#renderer.setView(cloneView(this.#orbit.view));
    return isAtLimit;
  }

  /** Takes over the default view and the limits that the options have now. Moves there, or only into the limits. */
  followOptions(moves: 'to-default-view' | 'into-limits'): void {
    const { viewCamera } = this.#renderer;
    const zoomFactor = viewCamera.updateDefaultView();
    this.#orbit.setDefaultView(viewCamera.defaultView, zoomFactor);
    void (moves === 'to-default-view' ? this.reset({}, 'api') : this.moveTo({}, {}, 'api'));
  }

  /** Jumps to the default view of a new model. */
  jumpToDefaultView(): void {
    const { defaultView, bounds } = this.#renderer.viewCamera;
    this.#orbit.jumpTo(defaultView, bounds.radius);
    this.#endMovement();
  }

  #move({ durationMs }: CameraMovement, source: CameraSource, setGoal: () => void): Promise<void> {
    this.#start(source, () => {
      setGoal();
      if (durationMs !== undefined) this.#orbit.startTransition(durationMs);
    });
    return new Promise((resolve) => {
      this.#resolveMovement = resolve;
      if (durationMs === 0) this.#finish();
      else this.finishUnseen();
    });
  }

  #start(source: CameraSource, setGoal: () => void): void {
    this.#endMovement();
    this.#source = source;
    setGoal();
    this.#renderer.addFrameCallback(this.#update);
    this.#emitViewChange();
  }

  readonly #update = (seconds: number): boolean => {
    const isMoving = this.#orbit.update(seconds);
    this.#show();
    if (!isMoving) this.#arrive();
    return isMoving;
  };

  /** Completes a movement that cannot be drawn, out of view or without a context: it would never arrive. */
  finishUnseen(): void {
    const { isVisible, isSuspended } = this.#renderer;
    if (!isVisible || isSuspended || document.hidden) this.#finish();
  }

  #finish(): void {
    if (this.#resolveMovement === undefined) return;
    this.#renderer.removeFrameCallback(this.#update);
    this.#orbit.finish();
    this.#show();
    this.#arrive();
  }

  #show(): void {
    this.#renderer.setView(cloneView(this.#orbit.view));
    this.#options.onMove(this.#source);
  }

  #arrive(): void {
    this.#emitViewChange();
    this.#endMovement();
  }

  #endMovement(): void {
    this.#resolveMovement?.();
    this.#resolveMovement = undefined;
  }

  #emitViewChange(): void {
    const { view, goal } = this.#orbit;
    this.#options.onViewChange({ view: cloneView(view), goal: cloneView(goal) });
  }
}
