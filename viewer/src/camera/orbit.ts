import { Vector3 } from 'three';
import { type CameraView, cloneView, toCameraDirection } from './framing.ts';
import { DEFAULT_LIMITS, limitView, type ViewLimits } from './view-limits.ts';

const MIN_FOV_Y = Math.PI / 180;
const FULL_TURN = 2 * Math.PI;
const MAX_FOV_Y = (150 * Math.PI) / 180;
/** After t seconds, the remaining distance to the goal is exp(-DAMPING_RATE * t) of the initial one. */
const DAMPING_RATE = 12;
/** Differences below this are invisible. Radians for angles, a fraction for zoom and target. */
const REST_TOLERANCE = 5e-4;

/** A movement with a given duration. Times as of `performance.now()`. */
type Transition = { from: CameraView; startMs: number; durationMs: number };

/** A camera view that moves smoothly towards a goal and comes to rest there. */
export class Orbit {
  getLimits: () => ViewLimits = () => DEFAULT_LIMITS;
  #defaultView: CameraView;
  #radius: number;
  readonly #prefersReducedMotion: () => boolean;
  readonly #current: CameraView;
  readonly #goal: CameraView;
  #transition: Transition | undefined;
  #minZoom = Infinity;

  /**
   * @param radius of the model; decides which distance from the goal is invisible
   * @param prefersReducedMotion if it returns true, the goal is reached in one frame
   */
  constructor(
    defaultView: CameraView,
    radius: number,
    prefersReducedMotion: () => boolean = () => false,
  ) {
    this.#defaultView = cloneView(defaultView);
    this.#radius = radius;
    this.#prefersReducedMotion = prefersReducedMotion;
    this.#current = cloneView(defaultView);
    this.#goal = cloneView(defaultView);
  }

  /** The view of the current frame. */
  get view(): CameraView {
    return this.#current;
  }

  /** The view that the camera moves to. */
  get goal(): Readonly<CameraView> {
    return this.#goal;
  }

  /** Allows the camera to come twice as close as this: to a small part of a large model. */
  allowZoom(zoom: number): void {
    this.#minZoom = Math.min(this.#minZoom, zoom / 2);
  }

  /** The limits of the options take precedence over `allowZoom`. */
  #getLimitsNow(): ViewLimits {
    const limits = this.getLimits();
    const [low, high] = limits.zoom;
    if (low !== DEFAULT_LIMITS.zoom[0]) return limits;
    return { ...limits, zoom: [Math.min(low, this.#minZoom), high] };
  }

  /** Jumps to the default view of a new model with this radius. */
  jumpTo(defaultView: CameraView, radius: number): void {
    this.#defaultView = cloneView(defaultView);
    this.#radius = radius;
    Object.assign(this.#goal, cloneView(defaultView));
    this.finish();
  }

  /** Sets the goal, within the limits. Omitted values do not change. */
  moveTo({ azimuth, elevation, zoom, target, fovY }: Partial<CameraView>): void {
    const goal = this.#goal;
    this.#transition = undefined;
    goal.azimuth = azimuth ?? goal.azimuth;
    goal.elevation = elevation ?? goal.elevation;
    goal.zoom = zoom ?? goal.zoom;
    limitView(goal, this.#getLimitsNow());
    goal.fovY = clamp(fovY ?? goal.fovY, MIN_FOV_Y, MAX_FOV_Y);
    if (target !== undefined) goal.target.copy(target);
  }

  /** Reaches the goal after this time, from the current view. Without a call, the movement is damped. */
  startTransition(durationMs: number, nowMs = performance.now()): void {
    this.#transition = { from: cloneView(this.#current), startMs: nowMs, durationMs };
  }

  /** Jumps to the goal. */
  finish(): void {
    this.#transition = undefined;
    Object.assign(this.#current, cloneView(this.#goal));
    this.#dropTurns();
  }

  /** Forgets whole turns, which `moveTo` would otherwise turn back. With limits, an angle is not the same as one a turn away. */
  #dropTurns(): void {
    if (this.getLimits().azimuth.some(Number.isFinite)) return;
    const turns = Math.round(this.#current.azimuth / FULL_TURN);
    for (const view of [this.#current, this.#goal]) view.azimuth -= turns * FULL_TURN;
  }

  /** Rotates around the target. Radians. */
  rotate(azimuth: number, elevation: number): void {
    this.#endTransition();
    const goal = this.#goal;
    this.moveTo({ azimuth: goal.azimuth + azimuth, elevation: goal.elevation + elevation });
  }

  /** Moves closer (factor below 1) or away. */
  zoom(factor: number): void {
    this.#endTransition();
    this.moveTo({ zoom: this.#goal.zoom * factor });
  }

  /** Moves the camera and its target parallel to the screen. World units. */
  pan(right: number, up: number): void {
    this.#endTransition();
    const { azimuth } = this.#goal;
    const rightDirection = new Vector3(Math.cos(azimuth), 0, -Math.sin(azimuth));
    const upDirection = toCameraDirection(this.#goal).cross(rightDirection);
    this.#goal.target.addScaledVector(rightDirection, right).addScaledVector(upDirection, up);
  }

  /** Makes a point the target, and moves closer: to half the distance or less. */
  focus(point: Vector3): void {
    this.#endTransition();
    this.moveTo({ target: point, zoom: Math.min(this.#goal.zoom * 0.5, 0.6) });
  }

  /** Returns to the default view, in the shorter direction of rotation. */
  reset(): void {
    const turns = Math.round((this.#goal.azimuth - this.#defaultView.azimuth) / FULL_TURN);
    this.#transition = undefined;
    Object.assign(this.#goal, cloneView(this.#defaultView));
    const azimuth = this.#goal.azimuth + turns * FULL_TURN;
    const [low, high] = this.getLimits().azimuth;
    if (azimuth >= low && azimuth <= high) this.#goal.azimuth = azimuth;
  }

  /**
   * Sets the view to which `reset` returns.
   *
   * @param zoomFactor the change of the zoom at which the current view is the same as before
   */
  setDefaultView(defaultView: CameraView, zoomFactor: number): void {
    this.#endTransition();
    this.#defaultView = cloneView(defaultView);
    this.#current.zoom *= zoomFactor;
    this.#goal.zoom *= zoomFactor;
  }

  /** Rotates the current view and the goal at once, within the limits. Returns whether the view has reached a limit. */
  spin(azimuth: number): boolean {
    this.#endTransition();
    const [low, high] = this.getLimits().azimuth;
    for (const view of [this.#current, this.#goal]) {
      view.azimuth = clamp(view.azimuth + azimuth, low, high);
    }
    this.#dropTurns();
    return this.#current.azimuth === (azimuth < 0 ? low : high);
  }

  /** Advances by a frame. Returns whether the camera is still moving. */
  update(seconds: number, nowMs = performance.now()): boolean {
    const isMoving = this.#prefersReducedMotion()
      ? false
      : (this.#advanceTransition(nowMs) ?? this.#approachGoal(seconds));
    if (!isMoving) this.finish();
    return isMoving;
  }

  /** Input starts from what is on the screen, not from the end of the transition. */
  #endTransition(): void {
    if (this.#transition !== undefined) Object.assign(this.#goal, cloneView(this.#current));
    this.#transition = undefined;
  }

  #advanceTransition(nowMs: number): boolean | undefined {
    if (this.#transition === undefined) return undefined;
    const { from, startMs, durationMs } = this.#transition;
    const progress = Math.min((nowMs - startMs) / durationMs, 1);
    Object.assign(this.#current, cloneView(from));
    this.#interpolate(progress * progress * (3 - 2 * progress));
    return progress < 1;
  }

  #approachGoal(seconds: number): boolean {
    this.#interpolate(1 - Math.exp(-DAMPING_RATE * seconds));
    return !this.#isAtRest();
  }

  /** Moves the current view by a share of its distance from the goal. */
  #interpolate(share: number): void {
    const [current, goal] = [this.#current, this.#goal];
    current.azimuth += (goal.azimuth - current.azimuth) * share;
    current.elevation += (goal.elevation - current.elevation) * share;
    current.zoom *= (goal.zoom / current.zoom) ** share;
    current.fovY += (goal.fovY - current.fovY) * share;
    current.target.lerp(goal.target, share);
  }

  #isAtRest(): boolean {
    const [current, goal] = [this.#current, this.#goal];
    return (
      Math.abs(goal.azimuth - current.azimuth) < REST_TOLERANCE &&
      Math.abs(goal.elevation - current.elevation) < REST_TOLERANCE &&
      Math.abs(goal.fovY - current.fovY) < REST_TOLERANCE &&
      Math.abs(Math.log(goal.zoom / current.zoom)) < REST_TOLERANCE &&
      current.target.distanceTo(goal.target) < REST_TOLERANCE * goal.zoom * this.#radius
    );
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
