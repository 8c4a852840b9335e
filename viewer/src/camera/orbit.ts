import { Vector3 } from 'three';
import { type CameraView, cloneView, toCameraDirection } from './framing.ts';

const MAX_ELEVATION = (89 * Math.PI) / 180;
const MIN_ZOOM = 0.02;
const MAX_ZOOM = 4;
/** After t seconds, the remaining distance to the goal is exp(-DAMPING_RATE * t) of the initial one. */
const DAMPING_RATE = 12;
/** Differences below this are invisible. Radians for angles, a fraction for zoom and target. */
const REST_TOLERANCE = 5e-4;

/** A camera view that moves smoothly towards a goal and comes to rest there. */
export class Orbit {
  #defaultView: CameraView;
  #radius: number;
  readonly #prefersReducedMotion: () => boolean;
  readonly #current: CameraView;
  readonly #goal: CameraView;

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

  /** Jumps to the default view of a new model with this radius. */
  jumpTo(defaultView: CameraView, radius: number): void {
    this.#defaultView = cloneView(defaultView);
    this.#radius = radius;
    Object.assign(this.#goal, cloneView(defaultView));
    this.finish();
  }

  /** Sets the goal, with elevation and zoom limited. Omitted values do not change. */
  moveTo({ azimuth, elevation, zoom, target }: Partial<CameraView>): void {
    const goal = this.#goal;
    goal.azimuth = azimuth ?? goal.azimuth;
    goal.elevation = clamp(elevation ?? goal.elevation, -MAX_ELEVATION, MAX_ELEVATION);
    goal.zoom = clamp(zoom ?? goal.zoom, MIN_ZOOM, MAX_ZOOM);
    if (target !== undefined) goal.target.copy(target);
  }

  /** Jumps to the goal. */
  finish(): void {
    Object.assign(this.#current, cloneView(this.#goal));
  }

  /** Rotates around the target. Radians. */
  rotate(azimuth: number, elevation: number): void {
    const goal = this.#goal;
    this.moveTo({ azimuth: goal.azimuth + azimuth, elevation: goal.elevation + elevation });
  }

  /** Moves closer (factor below 1) or away. */
  zoom(factor: number): void {
    this.moveTo({ zoom: this.#goal.zoom * factor });
  }

  /** Moves the camera and its target parallel to the screen. World units. */
  pan(right: number, up: number): void {
    const { azimuth } = this.#goal;
    const rightDirection = new Vector3(Math.cos(azimuth), 0, -Math.sin(azimuth));
    const upDirection = toCameraDirection(this.#goal).cross(rightDirection);
    this.#goal.target.addScaledVector(rightDirection, right).addScaledVector(upDirection, up);
  }

  /** Makes a point the target, and moves closer: to half the distance or less. */
  focus(point: Vector3): void {
    this.moveTo({ target: point, zoom: Math.min(this.#goal.zoom * 0.5, 0.6) });
  }

  /** Returns to the default view, in the shorter direction of rotation. */
  reset(): void {
    const turns = Math.round((this.#goal.azimuth - this.#defaultView.azimuth) / (2 * Math.PI));
    Object.assign(this.#goal, cloneView(this.#defaultView));
    this.#goal.azimuth += turns * 2 * Math.PI;
  }

  /** Advances by a frame. Returns whether the camera is still moving. */
  update(seconds: number): boolean {
    const [current, goal] = [this.#current, this.#goal];
    const share = this.#prefersReducedMotion() ? 1 : 1 - Math.exp(-DAMPING_RATE * seconds);
    current.azimuth += (goal.azimuth - current.azimuth) * share;
    current.elevation += (goal.elevation - current.elevation) * share;
    current.zoom *= (goal.zoom / current.zoom) ** share;
    current.target.lerp(goal.target, share);
    if (!this.#isAtRest()) return true;
    this.finish();
    return false;
  }

  #isAtRest(): boolean {
    const [current, goal] = [this.#current, this.#goal];
    return (
      Math.abs(goal.azimuth - current.azimuth) < REST_TOLERANCE &&
      Math.abs(goal.elevation - current.elevation) < REST_TOLERANCE &&
      Math.abs(Math.log(goal.zoom / current.zoom)) < REST_TOLERANCE &&
      current.target.distanceTo(goal.target) < REST_TOLERANCE * goal.zoom * this.#radius
    );
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
