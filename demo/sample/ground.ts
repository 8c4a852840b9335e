import { makePatch, merge, type Shape } from './geometry.ts';
import { makeNoise, makeRandom } from './noise.ts';
import { add, mix, mix3, rotate, smoothstep, type Vec3 } from './vector.ts';
import { FLOOR, ROOM } from './vessel.ts';

/** Metres to a repeat of the moss texture. */
const MOSS_REPEAT = 0.03;
/** Where the pot stands, so that no cushion grows into it. */
const POT = 0.027;

interface Pebble {
  at: Vec3;
  /** Half its extent. */
  size: Vec3;
  turn: number;
  /** 0 for a grey stone, 1 for a sandy one. */
  warm: number;
}

const PEBBLES: readonly Pebble[] = [
  { at: [0.03, 0.0365, 0.041], size: [0.0135, 0.0056, 0.0112], turn: 0.35, warm: 0.5 },
  { at: [-0.04, 0.0365, 0.032], size: [0.0085, 0.006, 0.007], turn: 1.1, warm: 0.1 },
  { at: [-0.029, 0.0352, 0.0445], size: [0.0055, 0.004, 0.005], turn: 2.2, warm: 0.9 },
  { at: [-0.0185, 0.0348, 0.0505], size: [0.0042, 0.003, 0.0037], turn: 0.2, warm: 0.3 },
  { at: [0.047, 0.036, -0.02], size: [0.008, 0.006, 0.0075], turn: 2.8, warm: 0.7 },
  { at: [-0.03, 0.0355, -0.043], size: [0.009, 0.0055, 0.007], turn: 1.9, warm: 0.4 },
];
const CUSHIONS = 24;

/** A floor of moss with cushions on it. */
export function makeMoss(): Shape {
  const random = makeRandom(201);
  const floor = makePatch(40, 5, (u, v) => {
    const angle = 2 * Math.PI * (u % 1);
    const radius = (ROOM + 0.0015) * (1 - v * 0.7);
    const [x, z] = [radius * Math.sin(angle), radius * Math.cos(angle)];
    const rise = 0.0028 * smoothstep(ROOM, ROOM - 0.008, radius) + ripple(x, z);
    return { position: [x, FLOOR + 0.0018 + rise, z], tint: [0.8, 0.86, 0.75] };
  });
  const cushions: Shape[] = [];
  for (let i = 0; cushions.length < CUSHIONS; i++) {
    const radius = mix(0.0055, 0.0125, random() ** 1.3);
    const distance = mix(POT + radius * 0.6, ROOM - 0.001 - radius, random() ** 0.8);
    const azimuth = i * 2.39996 + random() * 0.5;
    const at: Vec3 = [distance * Math.sin(azimuth), FLOOR + 0.0025, distance * Math.cos(azimuth)];
    const cushion = { at, radius, height: mix(0.55, 0.9, random()), young: random() };
    if (PEBBLES.every((pebble) => isClear(pebble, at, radius))) cushions.push(makeCushion(cushion));
  }
  const moss = merge([floor, ...cushions]);
  for (const vertex of moss.vertices) {
    const [x, y, z] = vertex.position;
    vertex.uv = [(x + y * 0.6) / MOSS_REPEAT, (z - y * 0.8) / MOSS_REPEAT];
  }
  return moss;
}

/** Loose soil under the rosette. */
export function makeSoil(): Shape {
  return makePatch(24, 4, (u, v) => {
    const angle = 2 * Math.PI * (u % 1);
    const radius = 0.0298 * (1 - v);
    const [x, z] = [radius * Math.sin(angle), radius * Math.cos(angle)];
    return { position: [x, 0.0752 + 0.003 * v + ripple(x, z) * 2, z] };
  });
}

/** Pebbles, and in front on the right the flat one the beetle stands on. */
export function makePebbles(): Shape {
  return merge(PEBBLES.map(makePebble));
}

function makePebble({ at, size, turn, warm }: Pebble): Shape {
  return makePatch(12, 8, (u, v) => {
    const [x, y, z] = ball(u, v);
    const lump = 0.9 + 0.2 * lumps(x * 0.3 + turn, z * 0.3 + y * 0.2);
    const point: Vec3 = [x * size[0] * lump, y * size[1] * lump, z * size[2] * lump];
    return {
      position: add(at, rotate(point, [0, 1, 0], turn)),
      uv: [(x + y * 0.5) * 0.4 + turn, (z - y * 0.7) * 0.4],
      tint: mix3([0.5, 0.54, 0.58], [1, 0.86, 0.7], warm),
    };
  });
}

interface Cushion {
  at: Vec3;
  radius: number;
  /** In radii. */
  height: number;
  /** 0 for old and dark, 1 for young and yellow. */
  young: number;
}

function makeCushion({ at, radius, height, young }: Cushion): Shape {
  const tint = mix3([0.62, 0.78, 0.7], [1, 1, 0.82], young);
  return makePatch(10, 4, (u, v) => {
    const [x, y, z] = ball(u, 0.42 + 0.58 * v);
    const lump = 0.86 + 0.28 * lumps(x * 0.4 + at[0] * 40, z * 0.4 + at[2] * 40);
    const size = radius * lump;
    return { position: add(at, [x * size, y * size * height, z * size]), tint };
  });
}

const lumps = makeNoise({ columns: 5, rows: 5, seed: 202 }, 2);
const ripples = makeNoise({ columns: 8, rows: 8, seed: 203 }, 2);

const ripple = (x: number, z: number) => (ripples(x / 0.1, z / 0.1) - 0.5) * 0.003;

const isClear = ({ at, size }: Pebble, [x, , z]: Vec3, radius: number) =>
  Math.hypot(at[0] - x, at[2] - z) > radius + size[0] * 0.75;

/** A unit ball; v from its lowest point to its highest. */
export function ball(u: number, v: number): Vec3 {
  const angle = 2 * Math.PI * (u % 1);
  const [out, y] = [Math.sin(Math.PI * v), -Math.cos(Math.PI * v)];
  return [out * Math.sin(angle), y, out * Math.cos(angle)];
}
