import { makeCells, makeNoise, makeRandom, type Noise } from './noise.ts';
import { paint, paintColors, parse } from './paint.ts';
import { encodePng } from './png.ts';
import { clamp, mix3, smoothstep } from './vector.ts';

/** The tufts of the moss, in its colour and in the relief alike. */
const TUFTS = { columns: 16, rows: 16, seed: 31 };

/** Walnut, cut along the trunk: u along the grain. */
export function paintWalnut(): Buffer {
  const sway = makeNoise({ columns: 2, rows: 3, seed: 11 }, 2);
  const streaks = makeNoise({ columns: 3, rows: 70, seed: 12 }, 2);
  const pores = makeNoise({ columns: 16, rows: 220, seed: 13 });
  const ramp = ['#2b1810', '#46291a', '#5f3a23', '#784d30', '#946544'];
  return paint({ size: 512, ramp, shades: 26 }, (u, v) => {
    const bend = sway(u, v) - 0.5;
    const year = (v * 13 + bend * 3.4 + 100) % 1;
    const late = smoothstep(0, 0.75, year) * smoothstep(1, 0.86, year);
    const streak = streaks(u, v + bend * 0.1) - 0.5;
    const pore = smoothstep(0.64, 0.85, pores(u, v + bend * 0.05));
    return 0.52 - late * 0.2 + streak * 0.44 - pore * 0.2 + bend * 0.4;
  });
}

/** Fired clay: rings from the wheel, a bloom of lime, grit. */
export function paintTerracotta(): Buffer {
  const random = makeRandom(23);
  const clouds = makeNoise({ columns: 5, rows: 3, seed: 21 }, 4);
  const wheel = makeNoise({ columns: 2, rows: 42, seed: 22 });
  const limes = makeNoise({ columns: 7, rows: 5, seed: 24 }, 5);
  const ramp = ['#a5593f', '#c27353', '#d08663', '#da9a7a', '#e8c9b2'];
  return paint({ size: 256, ramp, shades: 22 }, (u, v) => {
    const lime = smoothstep(0.5, 0.78, limes(u, v));
    const grit = random() - 0.5;
    return 0.26 + clouds(u, v) * 0.34 + (wheel(u, v) - 0.5) * 0.16 + grit * 0.06 + lime * 0.36;
  });
}

/** Cushion moss: tiny stars of leaves over dark gaps. */
export function paintMoss(): Buffer {
  const tufts = makeCells(TUFTS);
  const fine = makeCells({ columns: 34, rows: 34, seed: 33 });
  const clouds = makeNoise({ columns: 4, rows: 4, seed: 35 }, 3);
  const ramp = ['#222c11', '#43551d', '#6b8230', '#93a346', '#c6cc74'];
  return paint({ size: 128, ramp, shades: 28 }, (u, v) => {
    const star = (1 - tufts(u, v)) * 0.5 + (1 - fine(u, v)) * 0.25;
    return star + (clouds(u, v) - 0.5) * 0.4 + 0.06;
  });
}

/** Speckled river stone. */
export function paintStone(): Buffer {
  const clouds = makeNoise({ columns: 6, rows: 3, seed: 41 }, 4);
  const flecks = makeNoise({ columns: 70, rows: 36, seed: 42 });
  return paint(
    { size: 128, ramp: ['#77716a', '#a39c92', '#c2bab0', '#ddd8cf'], shades: 20 },
    (u, v) => {
      return 0.25 + clouds(u, v) * 0.75 - smoothstep(0.74, 0.92, flecks(u, v)) * 0.45;
    },
  );
}

/** An echeveria's leaf: u across it, v from its foot to its tip. Powdery, with a blushing edge. */
export function paintLeaf(): Buffer {
  const [foot, body, blush] = [parse('#d3e0b8'), parse('#93bda8'), parse('#e0587c')];
  const clouds = makeNoise({ columns: 3, rows: 8, seed: 51 }, 3);
  const veins = makeNoise({ columns: 26, rows: 3, seed: 52 });
  return paintColors([128, 256], (u, v) => {
    const across = Math.abs(u * 2 - 1);
    const cloud = clouds(u, v) - 0.5;
    const edge = across ** 8 * smoothstep(0.3, 0.9, v) * 0.8;
    const tip = smoothstep(0.76, 1.02, v + cloud * 0.1);
    const pale = clamp(smoothstep(0.7, 0.05, v) + cloud * 0.35 + (veins(u, v) - 0.5) * 0.12);
    return mix3(mix3(body, foot, pale), blush, clamp(edge + tip + cloud * 0.14 * v));
  });
}

/** Relief for rough things, as a tangent-space normal map: small bumps and pits. */
export function paintRelief(): Buffer {
  const size = 128;
  const tufts = makeCells(TUFTS);
  const grain = makeNoise({ columns: 13, rows: 13, seed: 61 }, 3);
  const height: Noise = (u, v) => grain(u, v) * 2.4 - tufts(u, v) * 2.2;
  const heights = Float64Array.from({ length: size * size }, (_, i) =>
    height((i % size) / size, Math.floor(i / size) / size),
  );
  const at = (x: number, y: number) => heights[(y & (size - 1)) * size + (x & (size - 1))] ?? 0;
  // Slopes of at most 1 in sixteen steps, and blue left whole: a third of the bytes, the same look.
  const encode = (slope: number) => 128 + 16 * Math.round(clamp(slope, -1, 0.99) * 7.5);
  const pixels = new Uint8Array(size * size * 3);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const right = at(x - 1, y) - at(x + 1, y);
      // Green looks up the image, which is towards smaller y.
      const up = at(x, y + 1) - at(x, y - 1);
      pixels.set([encode(right), encode(up), 255], (y * size + x) * 3);
    }
  }
  return encodePng(size, pixels);
}
