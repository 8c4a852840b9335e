import { at, makePatch, type Shape } from './geometry.ts';
import { normalize, subtract, type Vec2, type Vec3 } from './vector.ts';

/** A corner of an outline: distance from the axis, height, and the radius of its rounding. */
export type Corner = readonly [radius: number, height: number, rounding?: number];

/** The outline with its corners rounded, each by an arc of `steps` chords. */
export function roundOutline(outline: readonly Corner[], steps = 3): Vec2[] {
  return outline.flatMap((corner, i) => {
    const [radius, height, rounding = 0] = corner;
    const before = outline[i - 1];
    const after = outline[i + 1];
    if (!before || !after || rounding === 0) return [[radius, height] as const];
    const start = towards(corner, before, rounding);
    const end = towards(corner, after, rounding);
    return Array.from({ length: steps + 1 }, (_, step): Vec2 => {
      const t = step / steps;
      const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t * t];
      return [p * start[0] + q * radius + r * end[0], p * start[1] + q * height + r * end[1]];
    });
  });
}

/**
 * Turns an outline about the Y axis; seen from the front it runs upwards on the outside.
 *
 * u goes round, v along the outline in proportion to its length.
 */
export function turn(outline: readonly Vec2[], segments: number): Shape {
  const lengths = [0];
  for (let i = 1; i < outline.length; i++) {
    const [from, to] = [at(outline, i - 1), at(outline, i)];
    lengths.push(at(lengths, i - 1) + Math.hypot(to[0] - from[0], to[1] - from[1]));
  }
  const rows = outline.length - 1;
  return makePatch(segments, rows, (u, v) => {
    const row = Math.round(v * rows);
    const [radius, height] = at(outline, row);
    const angle = 2 * Math.PI * (u % 1);
    return {
      position: [radius * Math.sin(angle), height, radius * Math.cos(angle)],
      uv: [u, at(lengths, row) / at(lengths, rows)],
    };
  });
}

/** The point at most `distance` from a corner towards its neighbour, never past the middle. */
function towards(corner: Corner, neighbour: Corner, distance: number): Vec2 {
  const from: Vec3 = [corner[0], corner[1], 0];
  const way = subtract([neighbour[0], neighbour[1], 0], from);
  const reach = Math.min(distance, Math.hypot(...way) / 2);
  const unit = normalize(way);
  return [from[0] + unit[0] * reach, from[1] + unit[1] * reach];
}
