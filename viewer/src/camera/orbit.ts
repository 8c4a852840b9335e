import { Vector3 } from 'three';
import { type CameraView, toCameraDirection } from './framing.ts';

const MAX_ELEVATION = (89 * Math.PI) / 180;
const MIN_ZOOM = 0.02;
const MAX_ZOOM = 4;
/** How much of the way to the goal is left after a second: e to the minus this. */
const DAMPING_RATE = 12;
/** Nearer to the goal than this, nobody sees the difference. */
const REST_TOLERANCE = 5e-4;

/** A camera that eases towards where it was sent, and comes to rest there. */
export class Orbit {
  #defaultView: CameraView;
  #radius: number;
  readonly #skipsAnimation: () => boolean;
  readonly #current: CameraView;
  readonly #goal: CameraView;

  /**
   * @param radius the design's, which tells how exact a resting place must be
   * @param leaps says whether to be there at once (prefers-reduced-motion)
   */
  constructor(home: CameraView, radius: number, leaps: () => boolean = () => false) {
    this.#defaultView = cloneView(home);
    this.#radius = radius;
    this.#skipsAnimation = leaps;
    this.#current = cloneView(home);
    this.#goal = cloneView(home);
  }

  /** Where the camera stands now. */
  get view(): CameraView {
    return this.#current;
  }

  /** Where it is going. */
  get goal(): Readonly<CameraView> {
    return this.#goal;
  }

  /** Is there at once, and goes home to there from now on. */
  jumpTo(home: CameraView, radius: number): void {
    this.#defaultView = cloneView(home);
    this.#radius = radius;
    Object.assign(this.#current, cloneView(home));
    Object.assign(this.#goal, cloneView(home));
  }

  /** Turns around the target; radians. */
  rotate(azimuth: number, elevation: number): void {
    this.#goal.azimuth += azimuth;
    this.#goal.elevation = clamp(this.#goal.elevation + elevation, -MAX_ELEVATION, MAX_ELEVATION);
  }

  /** Comes nearer (factor below 1) or goes away. */
  zoom(factor: number): void {
    this.#goal.zoom = clamp(this.#goal.zoom * factor, MIN_ZOOM, MAX_ZOOM);
  }

  /** Moves camera and target in the plane of the picture; world units. */
  pan(right: number, up: number): void {
    const { azimuth } = this.#goal;
    const rightwards = new Vector3(Math.cos(azimuth), 0, -Math.sin(azimuth));
    const upwards = toCameraDirection(this.#goal).cross(rightwards);
    this.#goal.target.addScaledVector(rightwards, right).addScaledVector(upwards, up);
  }

  /** Turns to a point, half as far from it as now at most. */
  focus(point: Vector3): void {
    this.#goal.target.copy(point);
    this.#goal.zoom = clamp(Math.min(this.#goal.zoom * 0.5, 0.6), MIN_ZOOM, MAX_ZOOM);
  }

  /** Goes home, by the shorter way around. */
  reset(): void {
    const turns = Math.round((this.#goal.azimuth - this.#defaultView.azimuth) / (2 * Math.PI));
    Object.assign(this.#goal, cloneView(this.#defaultView));
    this.#goal.azimuth += turns * 2 * Math.PI;
  }

  /** Goes on for a frame; says whether there is still a way to go. */
  update(seconds: number): boolean {
    const [now, goal] = [this.#current, this.#goal];
    const share = this.#skipsAnimation() ? 1 : 1 - Math.exp(-DAMPING_RATE * seconds);
    now.azimuth += (goal.azimuth - now.azimuth) * share;
    now.elevation += (goal.elevation - now.elevation) * share;
    now.zoom *= (goal.zoom / now.zoom) ** share;
    now.target.lerp(goal.target, share);
    if (!this.#isAtRest()) return true;
    Object.assign(now, cloneView(goal));
    return false;
  }

  #isAtRest(): boolean {
    const [now, goal] = [this.#current, this.#goal];
    return (
      Math.abs(goal.azimuth - now.azimuth) < REST_TOLERANCE &&
      Math.abs(goal.elevation - now.elevation) < REST_TOLERANCE &&
      Math.abs(Math.log(goal.zoom / now.zoom)) < REST_TOLERANCE &&
      now.target.distanceTo(goal.target) < REST_TOLERANCE * goal.zoom * this.#radius
    );
  }
}

function cloneView(view: CameraView): CameraView {
  return { ...view, target: view.target.clone() };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
