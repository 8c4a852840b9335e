/**
 * Encodes the prefiltered environment map as text in the script: it compresses well and needs no second
 * request. An image would need to be read from a canvas, and some browsers change its pixels for privacy.
 *
 * Every mip level is encoded as a pyramid of sizes. The smallest size is written directly. Each larger
 * size is predicted by interpolation, and only the residuals are written: differences of the binary
 * logarithm, in multiples of `QUANTIZATION_STEP`. Where the light is smooth, the residuals are zero, and
 * there is no banding.
 *
 * Measured with our studio (2026-11), brotli bytes for the levels 128, 64, 32, 16 and 8:
 * 10-bit logarithm with a gradient predictor 26,813; 9 bits 21,164; 8 bits 16,359 and visible banding;
 * this pyramid 10,360 (with steps of 0.02 and residuals for the largest size 17,803), and 8,609 with the studio and the steps of today.
 *
 * Decoding uses whole numbers only. It runs once in each document, before the browser has optimized it: until then, each number with a
 * fraction is an object in memory. docs/decisions/0100-shared-textures-and-whole-numbers.md has the measurements.
 */

/** One mip level: six square faces in WebGL's order (+X −X +Y −Y +Z −Z), each in rows. */
export type CubeMipLevel = { size: number; texels: Float32Array };

/** A decoded mip level: the binary logarithms of its texels, in units of a stop divided by `UNITS_PER_STOP`. */
export type LogarithmicMipLevel = { size: number; logarithms: Int16Array };

/** The smallest size of every pyramid, which is also the size of the last mip level. */
export const MIN_SIZE = 8;

/** A stop is a factor of two. */
export const UNITS_PER_STOP = 2048;

/** Encoded texels differ from the original by at most half of this, in units. */
export const QUANTIZATION_STEP = UNITS_PER_STOP / 32;

/** Larger sizes have no residuals: interpolation is accurate enough for the soft edges of the panels. */
const MAX_ENCODED_SIZE = 64;

/** The character of a residual of 0. The range contains no backslash, quote or dollar sign. */
const FIRST_CHAR_CODE = 40;
const SYMBOL_COUNT = 50;

/** Encodes levels that are given sharpest first. The text has the smallest one first, so that decoding can stop before the largest. */
export function encodeEnvironment(levels: readonly CubeMipLevel[]): string {
  return levels
    .toReversed()
    .map(({ size, texels }) => encodePyramid(size, Array.from(texels, toUnits)))
    .join('');
}

/** Decodes the levels up to a size, sharpest first. */
export function decodeEnvironment(text: string, size: number): LogarithmicMipLevel[] {
  const levels: LogarithmicMipLevel[] = [];
  let position = 0;
  for (let edge = MIN_SIZE; edge <= size; edge *= 2) {
    let logarithms = new Int16Array(6 * MIN_SIZE ** 2);
    position = addResiduals(logarithms, text, position);
    for (let width = MIN_SIZE; width < edge; width *= 2) {
      logarithms = upsample(logarithms, width);
      if (2 * width <= maxEncodedSize(edge)) position = addResiduals(logarithms, text, position);
    }
    levels.unshift({ size: edge, logarithms });
  }
  return levels;
}

const toUnits = (radiance: number) => UNITS_PER_STOP * Math.log2(radiance);

/** Returns the largest size of a pyramid that has residuals. Above 16 texels, the full size has none. */
function maxEncodedSize(size: number): number {
  return size <= 16 ? size : Math.min(MAX_ENCODED_SIZE, size / 2);
}

function encodePyramid(size: number, texels: readonly number[]): string {
  const sizes: number[] = [];
  for (let edge = MIN_SIZE; edge <= maxEncodedSize(size); edge *= 2) sizes.push(edge);

  let text = '';
  let prediction = new Int16Array(6 * MIN_SIZE ** 2);
  for (const edge of sizes) {
    if (edge > MIN_SIZE) prediction = upsample(prediction, edge / 2);
    const original = downsample(texels, size, edge);
    let previous = 0;
    for (let index = 0; index < original.length; index++) {
      const error = (original[index] ?? 0) - (prediction[index] ?? 0);
      const steps = Math.round(error / QUANTIZATION_STEP);
      // The smallest size has no prediction: the difference to the previous texel is written.
      text += encodeResidual(edge === MIN_SIZE ? steps - previous : steps);
      previous = steps;
      prediction[index] = (prediction[index] ?? 0) + steps * QUANTIZATION_STEP;
    }
  }
  return text;
}

/** Adds the residuals that begin at a position of the text to a prediction. Returns the position after them. */
function addResiduals(prediction: Int16Array, text: string, position: number): number {
  const isSmallest = prediction.length === 6 * MIN_SIZE ** 2;
  let next = position;
  let steps = 0;
  for (let index = 0; index < prediction.length; index++) {
    let code = text.charCodeAt(next++) - FIRST_CHAR_CODE;
    for (let value = code; value === SYMBOL_COUNT; code += value)
      value = text.charCodeAt(next++) - FIRST_CHAR_CODE;
    const residual = code % 2 === 0 ? code >> 1 : -(code + 1) >> 1;
    steps = isSmallest ? steps + residual : residual;
    if (steps !== 0) prediction[index] = (prediction[index] as number) + steps * QUANTIZATION_STEP;
  }
  return next;
}

function encodeResidual(steps: number): string {
  let value = steps >= 0 ? 2 * steps : -2 * steps - 1;
  let text = '';
  for (; value >= SYMBOL_COUNT; value -= SYMBOL_COUNT)
    text += String.fromCharCode(FIRST_CHAR_CODE + SYMBOL_COUNT);
  return text + String.fromCharCode(FIRST_CHAR_CODE + value);
}

/** Reduces texels to a smaller size. Each result is the mean of a block. */
function downsample(texels: readonly number[], size: number, edge: number): Float32Array {
  const block = size / edge;
  const result = new Float32Array(6 * edge ** 2);
  for (let index = 0; index < texels.length; index++) {
    const row = Math.floor(index / size / block);
    const column = Math.floor((index % size) / block);
    const target = row * edge + column;
    result[target] = (result[target] ?? 0) + (texels[index] ?? 0) / block ** 2;
  }
  return result;
}

/** Interpolates all six faces to twice their size, first the rows and then the columns. */
function upsample(texels: Int16Array, size: number): Int16Array<ArrayBuffer> {
  return doubleLines(doubleLines(texels, size, 1), size, 2 * size);
}

/**
 * Interpolates lines of texels to twice their length: rows with a stride of 1, columns with that of their rows. The values are
 * those of a Catmull-Rom spline at a quarter and three quarters of the way between two texels, in parts of 256. At the ends, texels are
 * extrapolated linearly.
 */
function doubleLines(source: Int16Array, length: number, stride: number): Int16Array<ArrayBuffer> {
  const target = new Int16Array(2 * source.length);
  for (let line = 0; line < source.length / length; line++) {
    const column = line % stride;
    const block = (line - column) * length;
    const from = block + column;
    let to = 2 * block + column;
    // The texels around the two that are written.
    let c = source[from] as number;
    let d = source[from + stride] as number;
    let b = 2 * c - d;
    let a = 2 * b - c;
    for (let index = 2; index < length + 2; index++) {
      const e = index < length ? (source[from + index * stride] as number) : 2 * d - c;
      target[to] = (222 * c + 58 * b - 18 * d - 6 * a + 128) >> 8;
      target[to + stride] = (222 * c + 58 * d - 18 * b - 6 * e + 128) >> 8;
      to += 2 * stride;
      a = b;
      b = c;
      c = d;
      d = e;
    }
  }
  return target;
}
