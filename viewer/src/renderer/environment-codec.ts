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
 * this pyramid 10,360 (with steps of 0.02 and residuals for the largest size 17,803). Decoding takes
 * 10 ms.
 */

/** One mip level: six square faces in WebGL's order (+X −X +Y −Y +Z −Z), each in rows. */
export type CubeMipLevel = { size: number; texels: Float32Array };

/** The smallest size of every pyramid, which is also the size of the last mip level. */
export const MIN_SIZE = 8;

/** Encoded texels differ from the original by at most half of this, in stops (factors of two). */
export const QUANTIZATION_STEP = 0.03;

/** Larger sizes have no residuals: interpolation is accurate enough for the soft edges of the panels. */
const MAX_ENCODED_SIZE = 64;

/** The character of a residual of 0. The range contains no backslash, quote or dollar sign. */
const FIRST_CHAR_CODE = 40;
const SYMBOL_COUNT = 50;

/** Encodes the levels, sharpest first. */
export function encodeEnvironment(levels: readonly CubeMipLevel[]): string {
  return levels
    .map(({ size, texels }) => encodePyramid(size, Array.from(texels, Math.log2)))
    .join('');
}

/** Decodes the levels. `size` is the size of the sharpest level. */
export function decodeEnvironment(text: string, size: number): CubeMipLevel[] {
  const residuals = decodeResiduals(text);
  const levels: CubeMipLevel[] = [];
  for (let edge = size; edge >= MIN_SIZE; edge /= 2) {
    let texels = new Float32Array(6 * MIN_SIZE ** 2);
    addResiduals(texels, residuals);
    for (let width = MIN_SIZE; width < edge; width *= 2) {
      texels = upsample(texels, width);
      if (2 * width <= maxEncodedSize(edge)) addResiduals(texels, residuals);
    }
    levels.push({ size: edge, texels: texels.map((value) => 2 ** value) });
  }
  return levels;
}

/** Returns the largest size of a pyramid that has residuals. Above 16 texels, the full size has none. */
function maxEncodedSize(size: number): number {
  return Math.min(MAX_ENCODED_SIZE, Math.max(size / 2, 16));
}

function encodePyramid(size: number, texels: readonly number[]): string {
  const sizes: number[] = [];
  for (let edge = MIN_SIZE; edge <= maxEncodedSize(size); edge *= 2) sizes.push(edge);

  let text = '';
  let prediction = new Float32Array(6 * MIN_SIZE ** 2);
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

/** Adds decoded residuals to a prediction. */
function addResiduals(texels: Float32Array, residuals: Iterator<number>): void {
  const isSmallest = texels.length === 6 * MIN_SIZE ** 2;
  let steps = 0;
  for (let index = 0; index < texels.length; index++) {
    const residual = residuals.next().value as number;
    steps = isSmallest ? steps + residual : residual;
    texels[index] = (texels[index] ?? 0) + steps * QUANTIZATION_STEP;
  }
}

function encodeResidual(steps: number): string {
  let value = steps >= 0 ? 2 * steps : -2 * steps - 1;
  let text = '';
  for (; value >= SYMBOL_COUNT; value -= SYMBOL_COUNT)
    text += String.fromCharCode(FIRST_CHAR_CODE + SYMBOL_COUNT);
  return text + String.fromCharCode(FIRST_CHAR_CODE + value);
}

function* decodeResiduals(text: string): Generator<number, undefined> {
  let sum = 0;
  for (let index = 0; index < text.length; index++) {
    const value = text.charCodeAt(index) - FIRST_CHAR_CODE;
    sum += value;
    if (value === SYMBOL_COUNT) continue;
    yield sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2;
    sum = 0;
  }
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
function upsample(texels: Float32Array, size: number): Float32Array<ArrayBuffer> {
  const wide = new Float32Array(6 * size * size * 2);
  for (let row = 0; row < 6 * size; row++) {
    upsampleLine(texels, wide, { size, from: row * size, to: row * size * 2, stride: 1 });
  }
  const result = new Float32Array(6 * size * size * 4);
  const width = 2 * size;
  for (let face = 0; face < 6; face++) {
    for (let column = 0; column < width; column++) {
      const from = face * size * width + column;
      const to = face * width * width + column;
      upsampleLine(wide, result, { size, from, to, stride: width });
    }
  }
  return result;
}

type TexelLine = { size: number; from: number; to: number; stride: number };

/** Interpolates a line of texels to twice its length (Catmull-Rom), extrapolating linearly at the ends. */
function upsampleLine(source: Float32Array, target: Float32Array, line: TexelLine): void {
  const { size, from, to, stride } = line;
  const read = (index: number) => source[from + index * stride] ?? 0;
  let previous = 2 * read(0) - read(1);
  let current = read(0);
  let next = read(1);
  let beforePrevious = 2 * previous - current;
  for (let index = 0; index < size; index++) {
    const afterNext = index + 2 < size ? read(index + 2) : 2 * next - current;
    const position = to + 2 * index * stride;
    target[position] = interpolateQuarter(next, current, previous, beforePrevious);
    target[position + stride] = interpolateQuarter(previous, current, next, afterNext);
    [beforePrevious, previous, current, next] = [previous, current, next, afterNext];
  }
}

/** The value of a Catmull-Rom spline through a, b, c, d at a quarter of the way from b to c. */
function interpolateQuarter(a: number, b: number, c: number, d: number): number {
  return -0.0703125 * a + 0.8671875 * b + 0.2265625 * c - 0.0234375 * d;
}
