import { deform, makePatch, merge, type Shape } from './geometry.ts';
import { ball } from './ground.ts';
import { makeTube, taper } from './tube.ts';
import { add, rotate, scale, type Vec3 } from './vector.ts';

/** Where it stands, how it is turned, and how it climbs. */
const STAND: Vec3 = [0.03, 0.0415, 0.0415];
const HEADING = 0.75;
const CLIMB = -0.12;

/** The jewel: wing cases and neck shield. */
export function makeShell(): Shape {
  const wings = makePatch(20, 9, (u, v) => {
    const [x, y, z] = ball(u, v);
    const seam = Math.exp(-((x / 0.07) ** 2)) * (y > 0 ? 0.12 : 0);
    const taperBack = 1 - 0.12 * Math.max(0, -z) ** 2;
    return {
      position: [x * 0.0041 * taperBack, (y > 0 ? y - seam : y * 0.35) * 0.0033, z * 0.0056],
    };
  });
  const shield = egg([0, -0.0001, 0.0058], [0.0033, 0.0023, 0.0021]);
  return place(merge([wings, shield]));
}

/** Its gold: head, legs and feelers. */
export function makeLimbs(): Shape {
  const head = egg([0, -0.0004, 0.0078], [0.0017, 0.0014, 0.0014]);
  const limbs = ([-1, 1] as const).flatMap((side) => [
    ...[0.0046, 0.0014, -0.0022].map((z, i) => makeLeg(side, z, 0.0022 - i * 0.002)),
    makeTube({
      path: [
        [side * 0.0008, 0.0002, 0.0086],
        [side * 0.0022, 0.0016, 0.0112],
        [side * 0.0042, 0.0014, 0.0126],
      ],
      radius: (v) => 0.00016 + (v > 0.85 ? 0.0002 : 0),
      tint: () => [1, 1, 1],
      columns: 5,
      rows: 7,
    }),
  ]);
  return place(merge([head, ...limbs]));
}

function makeLeg(side: 1 | -1, z: number, forward: number): Shape {
  const path: Vec3[] = [
    [side * 0.0025, -0.0008, z],
    [side * 0.0051, 0.0004, z + forward * 0.6],
    [side * 0.0066, -0.0022, z + forward * 1.1],
    [side * 0.0078, -0.0026, z + forward * 1.3],
  ];
  return makeTube({
    path,
    radius: taper(0.00042, 0.0002),
    tint: () => [1, 1, 1],
    columns: 5,
    rows: 6,
  });
}

function egg(at: Vec3, size: Vec3): Shape {
  return makePatch(12, 6, (u, v) => {
    const [x, y, z] = ball(u, v);
    return { position: add(at, [x * size[0], y * size[1], z * size[2]]) };
  });
}

/** From the beetle's own frame, head along +Z, to where it stands. */
function place(shape: Shape): Shape {
  return deform(shape, (p) => {
    const climbing = rotate(scale(p, 1.1), [1, 0, 0], CLIMB);
    return add(STAND, rotate(add(climbing, [0, 0.0031, 0]), [0, 1, 0], HEADING));
  });
}
