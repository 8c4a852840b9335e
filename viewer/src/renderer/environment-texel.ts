/**
 * The texels of the environment map on the GPU: a radiance as a fixed-point number of 16 bits, its high byte in the red
 * channel and its low byte in the green one. The sum of both channels, weighted, is the radiance; so is the sum
 * of interpolated channels.
 *
 * Half floats would have the same accuracy. Measured without a GPU (SwiftShader, processor time of the GPU process until
 * the picture of a box is complete): 447 ms with half floats, 285 ms with bytes.
 */
import { UNITS_PER_STOP } from './environment-codec.ts';

/** Above the largest radiance of the environment map. */
const MAX_RADIANCE = 8;
const MAX_VALUE = 0xffff;
const OPAQUE = 0xff000000;

/** What the channels red and green, from 0 to 1, are multiplied by. */
export const RADIANCE_WEIGHTS: readonly [red: number, green: number] = [
  (MAX_RADIANCE * 0xff00) / MAX_VALUE,
  (MAX_RADIANCE * 0xff) / MAX_VALUE,
];

/** Returns the RGBA bytes of a texel as a number, red first in memory: every system with WebGL is little-endian. */
export function toTexel(radiance: number): number {
  const value = Math.min(Math.round((radiance / MAX_RADIANCE) * MAX_VALUE), MAX_VALUE);
  return ((value >> 8) | ((value & 0xff) << 8) | OPAQUE) >>> 0;
}

/** Radiances of 2 to the power of these are in the table: more than the environment map has. */
const [MIN_STOPS, MAX_STOPS] = [-6, 4];
/** So fine that neighbors differ by less than a third of a step of the screen. */
const ENTRIES_PER_STOP = 256;
/** Units of the codec for an entry, as a power of two. */
const ENTRY_BITS = Math.log2(UNITS_PER_STOP / ENTRIES_PER_STOP);
/** The first entry, and half of one: logarithms are rounded. */
const OFFSET = (1 << (ENTRY_BITS - 1)) - MIN_STOPS * UNITS_PER_STOP;

/** Creates the texels of all logarithms. */
export function createTexelTable(): Int32Array {
  const table = new Int32Array((MAX_STOPS - MIN_STOPS) * ENTRIES_PER_STOP);
  for (let index = 0; index < table.length; index++)
    table[index] = toTexel(2 ** (MIN_STOPS + index / ENTRIES_PER_STOP));
  return table;
}

/** Returns the RGBA bytes of texels whose logarithms are given, in units of the codec. */
export function packTexels(logarithms: Int16Array, table: Int32Array): Uint8Array {
  const packed = new Int32Array(logarithms.length);
  for (let index = 0; index < packed.length; index++)
    packed[index] = table[((logarithms[index] as number) + OFFSET) >> ENTRY_BITS] as number;
  return new Uint8Array(packed.buffer);
}
