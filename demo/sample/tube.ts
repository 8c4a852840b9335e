import { at, makePatch, type Shape } from './geometry.ts';
import { add, cross, mix, mix3, normalize, scale, subtract, type Vec3 } from './vector.ts';

export interface Tube {
  /** Points the middle line passes through, at equal steps of v. */
  readonly path: readonly Vec3[];
  readonly radius: (v: number) => number;
  readonly tint: (v: number) => Vec3;
  readonly columns: number;
  readonly rows: number;
}

/** A bent, tapering rod; its ends stay open. */
export function makeTube({ path, radius, tint, columns, rows }: Tube): Shape {
  return makePatch(columns, rows, (u, v) => {
    const along = directionAt(path, v);
    const side = normalize(cross(along, Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    const front = cross(side, along);
    const angle = 2 * Math.PI * (u % 1);
    const around = add(scale(side, Math.sin(angle)), scale(front, Math.cos(angle)));
    return { position: add(pointAt(path, v), scale(around, radius(v))), tint: tint(v) };
  });
}

/** A point of the smooth curve through `path` (Catmull-Rom). */
export function pointAt(path: readonly Vec3[], v: number): Vec3 {
  const last = path.length - 1;
  const index = Math.min(last - 1, Math.floor(v * last));
  const t = v * last - index;
  const [b, c] = [at(path, index), at(path, index + 1)];
  const before = path[index - 1] ?? b;
  const after = path[index + 2] ?? c;
  const leave = scale(subtract(c, before), 0.5);
  const arrive = scale(subtract(after, b), 0.5);
  const [h1, h2] = [t * t * (3 - 2 * t), t * (1 - t) * (1 - t)];
  const bend = add(scale(leave, h2), scale(arrive, -t * t * (1 - t)));
  return add(mix3(b, c, h1), bend);
}

/** The direction in which the curve runs at v. */
export function directionAt(path: readonly Vec3[], v: number): Vec3 {
  const step = 0.002;
  const from = pointAt(path, Math.max(0, v - step));
  return normalize(subtract(pointAt(path, Math.min(1, v + step)), from));
}

/** A radius that goes from one value to another. */
export const taper = (from: number, to: number) => (v: number) => mix(from, to, v);
