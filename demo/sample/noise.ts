import { mix } from './vector.ts';

/** A field over u, v that repeats after 1 in both, so that textures tile. */
export type Noise = (u: number, v: number) => number;

/** How many cells the field has each way before it repeats. */
export interface Lattice {
  readonly columns: number;
  readonly rows: number;
  readonly seed: number;
}

/** Random numbers in [0, 1) that are the same for the same seed, everywhere (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Smooth noise in [0, 1]: each octave is twice as fine and half as strong as the one before. */
export function makeNoise(lattice: Lattice, octaves = 1): Noise {
  const { columns, rows, seed } = lattice;
  let noise = makeLevel(lattice);
  for (let octave = 1, total = 1; octave < octaves; octave++) {
    const fine = 2 ** octave;
    const coarser = noise;
    const level = { columns: columns * fine, rows: rows * fine, seed: seed + octave * 1000 };
    const finer = makeLevel(level);
    const share = 1 / fine / (total + 1 / fine);
    total += 1 / fine;
    noise = (u, v) => mix(coarser(u, v), finer(u, v), share);
  }
  return noise;
}

/** The distance, in cells, to the nearest of the points strewn one to a cell. */
export function makeCells({ columns, rows, seed }: Lattice): Noise {
  const random = makeRandom(seed);
  const offsets = Float64Array.from({ length: columns * rows * 2 }, random);
  return (u, v) => {
    const x = u * columns;
    const y = v * rows;
    let nearest = Infinity;
    for (let j = Math.floor(y) - 1; j <= y + 1; j++) {
      for (let i = Math.floor(x) - 1; i <= x + 1; i++) {
        const index = (wrap(j, rows) * columns + wrap(i, columns)) * 2;
        const dx = i + (offsets[index] ?? 0) - x;
        const dy = j + (offsets[index + 1] ?? 0) - y;
        nearest = Math.min(nearest, dx * dx + dy * dy);
      }
    }
    return Math.sqrt(nearest);
  };
}

function makeLevel({ columns, rows, seed }: Lattice): Noise {
  const values = Float64Array.from({ length: columns * rows }, makeRandom(seed));
  return (u, v) => {
    const x = u * columns;
    const y = v * rows;
    const i = Math.floor(x);
    const j = Math.floor(y);
    const [left, right] = [wrap(i, columns), wrap(i + 1, columns)];
    const [low, high] = [wrap(j, rows) * columns, wrap(j + 1, rows) * columns];
    const along = ease(x - i);
    return mix(
      mix(values[low + left] ?? 0, values[low + right] ?? 0, along),
      mix(values[high + left] ?? 0, values[high + right] ?? 0, along),
      ease(y - j),
    );
  };
}

const wrap = (i: number, period: number) => (i % period) + (i % period < 0 ? period : 0);
const ease = (t: number) => t * t * t * (t * (t * 6 - 15) + 10);
