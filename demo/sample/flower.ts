import { deform, makePatch, merge, type Shape } from './geometry.ts';
import { makeTube, pointAt, taper } from './tube.ts';
import { add, cross, mix, mix3, normalize, scale, smoothstep, type Vec3 } from './vector.ts';

const STALK: readonly Vec3[] = [
  [-0.006, 0.08, -0.008],
  [-0.016, 0.105, -0.016],
  [-0.024, 0.135, -0.014],
  [-0.02, 0.163, -0.006],
  [-0.002, 0.179, 0.002],
  [0.019, 0.176, 0.008],
  [0.03, 0.161, 0.011],
];
const STEM: Vec3 = [0.42, 0.3, 0.16];
const BLUSH: Vec3 = [0.62, 0.18, 0.14];
const CORAL: Vec3 = [0.87, 0.16, 0.09];
const YELLOW: Vec3 = [0.98, 0.62, 0.16];
const SEPAL: Vec3 = [0.33, 0.45, 0.33];

/** The flowering stalk: it arches over the rosette and hangs its bells from the arch. */
export function makeFlowers(): Shape {
  const stalk = makeTube({
    path: STALK,
    radius: taper(0.00115, 0.0006),
    tint: (v) => mix3(STEM, BLUSH, smoothstep(0.2, 0.9, v)),
    columns: 7,
    rows: 20,
  });
  const bells = Array.from({ length: 8 }, (_, i) => makeBell(i / 7, i % 2 === 0 ? 1 : -1));
  const bracts = [0.2, 0.33, 0.45].map((v, i) => makeBract(v, i * 2.4 + 0.6));
  return merge([stalk, ...bracts, ...bells]);
}

/** A bell with the thin stem it hangs by; the last ones, at the tip of the stalk, are still buds. */
function makeBell(order: number, side: 1 | -1): Shape {
  const from = pointAt(STALK, mix(0.56, 1, order));
  const size = mix(1, 0.5, order ** 1.5);
  const out = normalize([side * 0.25 + 0.1, -0.25, side * 0.9]);
  const tip = add(from, scale(out, 0.0085 * size));
  const down = normalize([out[0] * 0.35 + 0.08, -1, out[2] * 0.5]);
  const hang = add(tip, scale(add(out, scale(down, 1.6)), 0.0016 * size));
  const stem = makeTube({
    path: [from, tip, hang],
    radius: taper(0.0005, 0.00055),
    tint: () => BLUSH,
    columns: 4,
    rows: 3,
  });
  const open = order < 0.6;
  const frame = (shape: Shape) => orient(shape, hang, down, size);
  return merge([stem, frame(makeCup(open)), frame(makeSepals())]);
}

/** Five petals grown into an urn: from its foot at the origin, along +Y. */
function makeCup(open: boolean): Shape {
  // Radius and height, outside and, when open, back in through the mouth.
  const bud = [0, 0.0026, 0.0041, 0.0042, 0.0033, 0.0016, 0] as const;
  const urn = [0, 0.003, 0.0045, 0.0043, 0.0035, 0.0046, 0.003, 0.0012] as const;
  const urnHeights = [0, 0.0004, 0.0032, 0.0068, 0.0095, 0.0118, 0.0092, 0.006] as const;
  const rows = open ? urn.length - 1 : bud.length - 1;
  return makePatch(open ? 15 : 8, rows, (u, v) => {
    const row = Math.round(v * rows);
    const angle = 2 * Math.PI * (u % 1);
    const petal = open ? Math.cos(5 * angle) : 0;
    const lip = open && row === 5 ? 1 : 0;
    const radius = ((open ? urn[row] : bud[row]) ?? 0) * (1 + petal * (0.07 + lip * 0.14));
    const height = (open ? urnHeights[row] : row * 0.0019) ?? 0;
    const tint = mix3(CORAL, YELLOW, smoothstep(0.006, 0.0125, height) * (open ? 1 : 0.6));
    return {
      position: [radius * Math.sin(angle), height + lip * petal * 0.0013, radius * Math.cos(angle)],
      tint: row > 5 ? scale(tint, 0.7) : tint,
    };
  });
}

/** The green star that holds a bell. */
function makeSepals(): Shape {
  return makePatch(10, 2, (u, v) => {
    const angle = 2 * Math.PI * (u % 1);
    const petal = Math.cos(5 * angle) * 0.5 + 0.5;
    const radius = 0.0008 + v * (0.0016 + 0.0032 * petal);
    const height = -0.0007 + v * (0.0006 + 0.0034 * petal);
    return {
      position: [radius * Math.sin(angle), height, radius * Math.cos(angle)],
      tint: mix3(SEPAL, BLUSH, v * petal * 0.6),
    };
  });
}

/** A small leaf on the stalk. */
function makeBract(v: number, azimuth: number): Shape {
  const leaf = makePatch(8, 5, (u, t) => {
    const angle = 2 * Math.PI * (u % 1);
    const width = 0.0021 * Math.sin(Math.PI * (0.12 + 0.88 * t)) ** 0.8;
    return {
      position: [width * Math.sin(angle), 0.0085 * t, width * 0.45 * Math.cos(angle)],
      tint: mix3(SEPAL, BLUSH, t ** 3),
    };
  });
  return orient(leaf, pointAt(STALK, v), [Math.sin(azimuth), 0.9, Math.cos(azimuth)], 1);
}

/** Sets a shape made along +Y at `origin`, along `axis`. */
function orient(shape: Shape, origin: Vec3, axis: Vec3, size: number): Shape {
  const up = normalize(axis);
  const side = normalize(cross(up, Math.abs(up[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const front = cross(side, up);
  return deform(shape, ([x, y, z]) =>
    add(origin, scale(add(add(scale(side, x), scale(up, y)), scale(front, z)), size)),
  );
}
