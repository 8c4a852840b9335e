import { corners, type Shape } from './geometry.ts';
import { makeRandom } from './noise.ts';
import { add, clamp, cross, mix, normalize, scale, subtract, type Vec3 } from './vector.ts';

/** What takes part in the shading: `albedo` is the surface's rough colour, which shade keeps alive. */
export interface Shaded {
  readonly shape: Shape;
  readonly albedo: Vec3;
  /** How much of the darkness to take, 0 to 1; less for what light shines through. */
  readonly depth: number;
}

const CELL = 0.0012;
const RAYS = 36;
const REACH = 0.045;
/** The grid covers this many metres around the axis, and from the table upwards. */
const HALF_WIDTH = 0.096;
const HEIGHT = 0.25;

/**
 * Darkens every tint by the share of the sky its point does not see.
 *
 * The shapes are laid into a grid of 1.2 mm cells, and rays walk the grid: some 400 000 short rays
 * take 0.15 s. The softness of the grid suits colours that are kept at vertices.
 */
export function shade(all: readonly Shaded[]): void {
  const cells = new Cells();
  for (const { shape } of all) {
    for (const triangle of shape.triangles) cells.fill(corners(shape.vertices, triangle));
  }
  const directions = spread(RAYS);
  for (const { shape, albedo, depth } of all) {
    for (const vertex of shape.vertices) {
      const seen = cells.openness(vertex.position, vertex.normal, directions);
      const open = mix(1, seen, depth);
      const [r, g, b] = vertex.tint;
      const [x, y, z] = albedo;
      vertex.tint = [r * bounce(open, x), g * bounce(open, y), b * bounce(open, z)];
    }
  }
}

class Cells {
  readonly #width = Math.ceil((2 * HALF_WIDTH) / CELL);
  readonly #filled = new Uint8Array(this.#width * this.#width * Math.ceil(HEIGHT / CELL));

  fill([a, b, c]: readonly [Vec3, Vec3, Vec3]): void {
    const [ab, ac] = [subtract(b, a), subtract(c, a)];
    const longest = Math.max(Math.hypot(...ab), Math.hypot(...ac), Math.hypot(...subtract(c, b)));
    const steps = Math.ceil((longest / CELL) * 1.4);
    for (let i = 0; i <= steps; i++) {
      for (let j = 0; j <= steps - i; j++) {
        const s = i / steps;
        const t = j / steps;
        const index = this.#index(
          a[0] + ab[0] * s + ac[0] * t,
          a[1] + ab[1] * s + ac[1] * t,
          a[2] + ab[2] * s + ac[2] * t,
        );
        if (index >= 0) this.#filled[index] = 1;
      }
    }
  }

  /** The share of the hemisphere over `normal` that is free, near things counting more than far ones. */
  openness(position: Vec3, normal: Vec3, directions: readonly Vec3[]): number {
    const side = normalize(cross(Math.abs(normal[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0], normal));
    const other = cross(normal, side);
    const start = add(position, scale(normal, CELL * 1.7));
    let open = 0;
    for (const [x, y, z] of directions) {
      open += this.#freeAlong(
        start,
        side[0] * x + normal[0] * y + other[0] * z,
        side[1] * x + normal[1] * y + other[1] * z,
        side[2] * x + normal[2] * y + other[2] * z,
      );
    }
    return open / directions.length;
  }

  #freeAlong(start: Vec3, rayX: number, rayY: number, rayZ: number): number {
    for (let distance = 0; distance < REACH; distance += CELL) {
      const y = start[1] + rayY * distance;
      const hit =
        y < 0 ||
        this.#filled[this.#index(start[0] + rayX * distance, y, start[2] + rayZ * distance)];
      if (hit) return clamp(distance / REACH) ** 0.7;
    }
    return 1;
  }

  #index(x: number, y: number, z: number): number {
    const column = Math.floor((x + HALF_WIDTH) / CELL);
    const row = Math.floor((z + HALF_WIDTH) / CELL);
    const inside = column >= 0 && column < this.#width && row >= 0 && row < this.#width && y >= 0;
    return inside ? (Math.floor(y / CELL) * this.#width + row) * this.#width + column : -1;
  }
}

/** Light bounces among bright things, so that their hollows are less dark and deeper in colour. */
function bounce(open: number, albedo: number): number {
  const a = 2.0404 * albedo - 0.3324;
  const b = -4.7951 * albedo + 0.6417;
  const c = 2.7552 * albedo + 0.6903;
  return clamp(Math.max(open, ((open * a + b) * open + c) * open));
}

/** Directions about +Y, denser towards it, as a matt surface gathers light. */
function spread(count: number): Vec3[] {
  const random = makeRandom(7);
  return Array.from({ length: count }, (_, i) => {
    const out = Math.sqrt((i + random()) / count);
    const angle = i * Math.PI * (3 - Math.sqrt(5));
    return [out * Math.cos(angle), Math.sqrt(1 - out * out), out * Math.sin(angle)];
  });
}
