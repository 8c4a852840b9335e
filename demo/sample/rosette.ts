import { makePatch, merge, type Shape } from './geometry.ts';
import { makeRandom } from './noise.ts';
import { add, clamp, cross, mix, rotate, scale, smoothstep, type Vec3 } from './vector.ts';

/** The middle of the rosette, a little above the soil. */
const HEART: Vec3 = [0, 0.0795, 0];
const LEAVES = 38;
/** The angle from one leaf to the next, by which no leaf comes to stand above another. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** The whole rosette leans towards the one who looks. */
const LEAN = 0.16;

/** An echeveria: leaves in a golden spiral, upright and small within, wide and spread without. */
export function makeRosette(): Shape {
  const random = makeRandom(101);
  const leaves = Array.from({ length: LEAVES }, (_, i) => {
    const age = i / (LEAVES - 1);
    return makeLeaf({
      age,
      azimuth: i * GOLDEN_ANGLE + (random() - 0.5) * 0.14,
      tilt: mix(0.12, 1.5, age ** 0.85) + (random() - 0.5) * 0.08,
      length: (0.0085 + 0.034 * age ** 0.8) * (0.95 + random() * 0.1),
      light: 0.93 + random() * 0.07,
    });
  });
  return merge(leaves);
}

interface Leaf {
  /** 0 for the youngest, 1 for the oldest. */
  age: number;
  azimuth: number;
  /** From upright, in radians. */
  tilt: number;
  length: number;
  light: number;
}

function makeLeaf({ age, azimuth, tilt, length, light }: Leaf): Shape {
  const out: Vec3 = [Math.sin(azimuth), 0, Math.cos(azimuth)];
  const along = add(scale([0, 1, 0], Math.cos(tilt)), scale(out, Math.sin(tilt)));
  const face = add(scale([0, 1, 0], Math.sin(tilt)), scale(out, -Math.cos(tilt)));
  const side = cross(along, face);
  const foot = add(scale(out, 0.001 + 0.0105 * age), [0, 0.0115 * (1 - age) ** 1.6, 0]);
  const tint: Vec3 = [light * mix(0.92, 1, age), light, light * mix(0.86, 1, age)];
  return makePatch(10, age < 0.3 ? 7 : 8, (u, v) => {
    const { across, x, y, z } = leafPoint(u, 1 - (1 - v) ** 1.7, age);
    const local = add(add(scale(side, x), scale(along, y)), scale(face, z));
    const position = add(foot, scale(local, length));
    return {
      position: add(HEART, rotate(position, [1, 0, 0], LEAN)),
      uv: [across * 0.48 + 0.5, y / 1.1],
      tint,
    };
  });
}

/** A leaf of length 1: y from foot to tip, x across, z out of its upper face. */
function leafPoint(u: number, v: number, age: number) {
  const angle = 2 * Math.PI * (u % 1) + Math.PI;
  const sine = Math.sin(angle);
  const across = Math.sign(sine) * Math.abs(sine) ** 0.8;
  const swell = 0.42 + 0.58 * smoothstep(0.05, 0.8, v);
  const close = v > 0.58 ? (1 - Math.min(1, (v - 0.58) / 0.42) ** 2.2) ** 0.55 : 1;
  const x = across * swell * close * 0.37;
  const thick = 0.13 * (1 - v ** 3 * 0.75) * close ** 0.6;
  const cosine = Math.cos(angle);
  const body = cosine > 0 ? cosine * thick * 0.3 : cosine * thick * (1 + 0.25 * (1 - across ** 2));
  const hollow = (x / 0.37) ** 2 * 0.1;
  const curl = mix(0.1, 0.2, age) * v ** 2 + 0.07 * smoothstep(0.75, 1.05, v);
  const point = 0.085 * smoothstep(0.8, 1, v) * (1 - clamp(Math.abs(x) / 0.16)) ** 2;
  return { across, x, y: v + point, z: body + hollow + curl };
}
