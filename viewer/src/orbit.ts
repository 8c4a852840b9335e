import { Vector3 } from 'three';
import { standDirection, type View } from './framing.ts';

const MAX_ELEVATION = (89 * Math.PI) / 180;
const MIN_ZOOM = 0.02;
const MAX_ZOOM = 4;
/** How much of the way to the goal is left after a second: e to the minus this. */
const EAGERNESS = 12;
/** Nearer to the goal than this, nobody sees the difference. */
const ARRIVED = 5e-4;

/** A camera that eases towards where it was sent, and comes to rest there. */
export class Orbit {
  #home: View;
  #radius: number;
  readonly #leaps: () => boolean;
  readonly #now: View;
  readonly #goal: View;

  /**
   * @param radius the design's, which tells how exact a resting place must be
   * @param leaps says whether to be there at once (prefers-reduced-motion)
   */
  constructor(home: View, radius: number, leaps: () => boolean = () => false) {
    this.#home = copyOf(home);
    this.#radius = radius;
    this.#leaps = leaps;
    this.#now = copyOf(home);
    this.#goal = copyOf(home);
  }

  /** Where the camera stands now. */
  get view(): View {
    return this.#now;
  }

  /** Where it is going. */
  get goal(): Readonly<View> {
    return this.#goal;
  }

  /** Is there at once, and goes home to there from now on. */
  settle(home: View, radius: number): void {
    this.#home = copyOf(home);
    this.#radius = radius;
    Object.assign(this.#now, copyOf(home));
    Object.assign(this.#goal, copyOf(home));
  }

  /** Turns around the target; radians. */
  turn(azimuth: number, elevation: number): void {
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
    const upwards = standDirection(this.#goal).cross(rightwards);
    this.#goal.target.addScaledVector(rightwards, right).addScaledVector(upwards, up);
  }

  /** Turns to a point, half as far from it as now at most. */
  focus(point: Vector3): void {
    this.#goal.target.copy(point);
    this.#goal.zoom = clamp(Math.min(this.#goal.zoom * 0.5, 0.6), MIN_ZOOM, MAX_ZOOM);
  }

  /** Goes home, by the shorter way around. */
  reset(): void {
    const turns = Math.round((this.#goal.azimuth - this.#home.azimuth) / (2 * Math.PI));
    Object.assign(this.#goal, copyOf(this.#home));
    this.#goal.azimuth += turns * 2 * Math.PI;
  }

  /** Goes on for a frame; says whether there is still a way to go. */
  step(seconds: number): boolean {
    const [now, goal] = [this.#now, this.#goal];
    const share = this.#leaps() ? 1 : 1 - Math.exp(-EAGERNESS * seconds);
    now.azimuth += (goal.azimuth - now.azimuth) * share;
    now.elevation += (goal.elevation - now.elevation) * share;
    now.zoom *= (goal.zoom / now.zoom) ** share;
    now.target.lerp(goal.target, share);
    if (!this.#arrived()) return true;
    Object.assign(now, copyOf(goal));
    return false;
  }

  #arrived(): boolean {
    const [now, goal] = [this.#now, this.#goal];
    return (
      Math.abs(goal.azimuth - now.azimuth) < ARRIVED &&
      Math.abs(goal.elevation - now.elevation) < ARRIVED &&
      Math.abs(Math.log(goal.zoom / now.zoom)) < ARRIVED &&
      now.target.distanceTo(goal.target) < ARRIVED * goal.zoom * this.#radius
    );
  }
}

function copyOf(view: View): View {
  return { ...view, target: view.target.clone() };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
