import { merge, type Shape } from './geometry.ts';
import { type Corner, roundOutline, turn } from './lathe.ts';
import type { Vec2 } from './vector.ts';

/** Where the moss lies inside the glass: the height of the wood, and how far there is room. */
export const FLOOR = 0.0285;
export const ROOM = 0.0656;

const GLASS_RADIUS = 0.0675;
const GLASS_THICKNESS = 0.0019;
const SHOULDER = 0.15;
const CROWN = 0.068;

/** The turned foot. The grain runs along x, through sides and top alike, as if cut from one block. */
export function makeBase(): Shape {
  const outline: Corner[] = [
    [0, 0],
    [0.0775, 0],
    [0.0797, 0.0045, 0.0025],
    [0.0766, 0.0085],
    [0.0765, 0.0101],
    [0.083, 0.0104, 0.004],
    [0.0858, 0.0165, 0.005],
    [0.0824, 0.0222, 0.003],
    [0.0782, 0.0232],
    [0.0778, 0.0242],
    [0.0772, FLOOR, 0.0018],
    [0.063, FLOOR],
  ];
  const shape = turn(roundOutline(outline, 2), 52);
  for (const vertex of shape.vertices) {
    const [x, y, z] = vertex.position;
    vertex.uv = [x / 0.2 + 0.5, (z - y * 1.1) / 0.2 + 0.5];
  }
  return shape;
}

/** The ring that holds the glass: a fillet below, a bead above. */
export function makeRing(): Shape {
  const outline: Corner[] = [
    [0.0742, FLOOR - 0.0005],
    [0.0742, 0.0304, 0.0014],
    [0.0721, 0.0308],
    [0.0719, 0.0318],
    [0.0731, 0.0356, 0.0026],
    [0.0694, 0.0366, 0.002],
    [0.0677, 0.0345],
    [0.0677, FLOOR],
  ];
  return turn(roundOutline(outline, 2), 52);
}

/**
 * The dome, a wall with two faces.
 *
 * The face towards the axis comes first in the index order: of it one sees the far half, which is
 * behind everything, so that blending in this order is right without sorting triangles.
 */
export function makeDome(): Shape {
  const outside = wall(GLASS_RADIUS, 0);
  const inside = wall(GLASS_RADIUS - GLASS_THICKNESS, GLASS_THICKNESS).reverse();
  return merge([turn(inside, 44), turn(outside, 44)]);
}

/** The handle: collar, neck, ball and a tip. */
export function makeKnob(): Shape {
  const ball = Array.from({ length: 9 }, (_, i): Corner => {
    const angle = -1.02 + ((Math.PI / 2 + 1.02 - 0.2) * i) / 8;
    return [0.0108 * Math.cos(angle), 0.2352 + 0.0098 * Math.sin(angle)];
  });
  const outline: Corner[] = [
    [0.0125, 0.2152],
    [0.0142, 0.2162, 0.0008],
    [0.0138, 0.2188, 0.0015],
    [0.0085, 0.2196, 0.0015],
    [0.0075, 0.2214],
    [0.0048, 0.2222, 0.0012],
    [0.0044, 0.2256, 0.0012],
    [0.0062, 0.2266],
    ...ball,
    [0.0016, 0.2462],
    [0.0012, 0.2478, 0.0006],
    [0, 0.2482],
  ];
  return turn(roundOutline(outline, 2), 22);
}

/** A flower pot as thrown a thousand times: foot, flare, collar. */
export function makePot(): Shape {
  const outline: Corner[] = [
    [0.0215, 0.0295],
    [0.0228, 0.0302, 0.0008],
    [0.0294, 0.0655, 0.001],
    [0.0326, 0.0664, 0.0014],
    [0.0342, 0.0788, 0.0022],
    [0.031, 0.0794, 0.0016],
    [0.0296, 0.074],
    [0.0285, 0.066],
  ];
  const shape = turn(roundOutline(outline, 2), 36);
  for (const vertex of shape.vertices) vertex.uv = [vertex.uv[0] * 3, vertex.uv[1] * 1.3];
  return shape;
}

/** From the foot of the glass up to the middle of its crown. */
function wall(radius: number, lower: number): Vec2[] {
  const steps = 12;
  const arch = Array.from({ length: steps + 1 }, (_, i): Vec2 => {
    const angle = (Math.PI / 2) * (i / steps);
    return [radius * Math.cos(angle), SHOULDER + (CROWN - lower) * Math.sin(angle)];
  });
  return [[radius, FLOOR], ...arch];
}
