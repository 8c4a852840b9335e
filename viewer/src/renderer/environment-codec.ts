/**
 * How the prefiltered light travels: as text inside the script, which the wire's own compression
 * makes small. No second request, no image whose pixels a privacy browser would perturb, and
 * decoding is plain arithmetic.
 *
 * Every mip level is a pyramid. Its coarsest square is written out; each finer one is first guessed
 * by interpolation and only the error is written, in steps of `STEP` of the binary logarithm. Where
 * the light is smooth the guess is right and the text is a run of one letter; and because what is
 * drawn there is interpolated, there are no bands.
 *
 * Measured on the studio (2026-11), brotli bytes for the levels 128, 64, 32, 16 and 8:
 * 10-bit logarithm with a gradient predictor 26 813; 9 bits 21 164; 8 bits 16 359 and bands to be
 * seen; this pyramid 10 360 (with steps of 0.02 and the last doubling written 17 803). Decoding it
 * takes 10 ms.
 */

/** One mip level: six square faces in WebGL's order (+X −X +Y −Y +Z −Z), each row by row. */
export type CubeMipLevel = { size: number; texels: Float32Array };

/** The size at which every pyramid starts; also the size of the last mip level. */
export const MIN_SIZE = 8;

/** Exactness: no written texel is further than half of this from the truth, in stops. */
export const QUANTIZATION_STEP = 0.03;

/** Finer squares than this are interpolated alone: the panels' edges are softer than its texels. */
const MAX_ENCODED_SIZE = 64;

/** Letters start here; a residual of 0 is `FIRST`. The backslash and the quotes stay unused. */
const FIRST_CHAR_CODE = 40;
const SYMBOL_COUNT = 50;

/** Writes the levels, sharpest first, as letters. */
export function encodeEnvironment(levels: readonly CubeMipLevel[]): string {
  return levels
    .map(({ size, texels }) => encodePyramid(size, Array.from(texels, Math.log2)))
    .join('');
}

/** Reads what `encodeLevels` wrote for levels whose sharpest has the edge `size`. */
export function decodeEnvironment(text: string, size: number): CubeMipLevel[] {
  const letters = decodeResiduals(text);
  const levels: CubeMipLevel[] = [];
  for (let edge = size; edge >= MIN_SIZE; edge /= 2) {
    let texels = new Float32Array(6 * MIN_SIZE ** 2);
    addResiduals(texels, letters);
    for (let width = MIN_SIZE; width < edge; width *= 2) {
      texels = upsample(texels, width);
      if (2 * width <= maxEncodedSize(edge)) addResiduals(texels, letters);
    }
    levels.push({ size: edge, texels: texels.map((value) => 2 ** value) });
  }
  return levels;
}

/** The sharp levels leave their last doubling to interpolation, the rough ones are small anyway. */
function maxEncodedSize(size: number): number {
  return Math.min(MAX_ENCODED_SIZE, Math.max(size / 2, 16));
}

function encodePyramid(size: number, texels: readonly number[]): string {
  const sizes: number[] = [];
  for (let edge = MIN_SIZE; edge <= maxEncodedSize(size); edge *= 2) sizes.push(edge);

  let text = '';
  let guess = new Float32Array(6 * MIN_SIZE ** 2);
  for (const edge of sizes) {
    if (edge > MIN_SIZE) guess = upsample(guess, edge / 2);
    const truth = downsample(texels, size, edge);
    let before = 0;
    for (let index = 0; index < truth.length; index++) {
      const steps = Math.round(((truth[index] ?? 0) - (guess[index] ?? 0)) / QUANTIZATION_STEP);
      // The coarsest square has no guess, so it tells differences.
      text += encodeResidual(edge === MIN_SIZE ? steps - before : steps);
      before = steps;
      guess[index] = (guess[index] ?? 0) + steps * QUANTIZATION_STEP;
    }
  }
  return text;
}

/** Adds what is written to what was guessed. */
function addResiduals(texels: Float32Array, letters: Iterator<number>): void {
  const telling = texels.length === 6 * MIN_SIZE ** 2;
  let steps = 0;
  for (let index = 0; index < texels.length; index++) {
    const letter = letters.next().value as number;
    steps = telling ? steps + letter : letter;
    texels[index] = (texels[index] ?? 0) + steps * QUANTIZATION_STEP;
  }
}

function encodeResidual(steps: number): string {
  let rest = steps >= 0 ? 2 * steps : -2 * steps - 1;
  let text = '';
  for (; rest >= SYMBOL_COUNT; rest -= SYMBOL_COUNT)
    text += String.fromCharCode(FIRST_CHAR_CODE + SYMBOL_COUNT);
  return text + String.fromCharCode(FIRST_CHAR_CODE + rest);
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

/** The mean of every block of texels: `texels` at a smaller edge. */
function downsample(texels: readonly number[], size: number, edge: number): Float32Array {
  const block = size / edge;
  const small = new Float32Array(6 * edge ** 2);
  for (let index = 0; index < texels.length; index++) {
    const row = Math.floor(index / size / block);
    const column = Math.floor((index % size) / block);
    const at = row * edge + column;
    small[at] = (small[at] ?? 0) + (texels[index] ?? 0) / block ** 2;
  }
  return small;
}

/** Interpolates all six faces to twice their edge, row by row and then column by column. */
function upsample(texels: Float32Array, size: number): Float32Array<ArrayBuffer> {
  const wide = new Float32Array(6 * size * size * 2);
  for (let row = 0; row < 6 * size; row++) {
    upsampleLine(texels, wide, { size, from: row * size, to: row * size * 2, stride: 1 });
  }
  const whole = new Float32Array(6 * size * size * 4);
  const width = 2 * size;
  for (let face = 0; face < 6; face++) {
    for (let column = 0; column < width; column++) {
      const from = face * size * width + column;
      const to = face * width * width + column;
      upsampleLine(wide, whole, { size, from, to, stride: width });
    }
  }
  return whole;
}

type TexelLine = { size: number; from: number; to: number; stride: number };

/** One line of texels to twice its length by Catmull-Rom; beyond its ends it goes on straight. */
function upsampleLine(source: Float32Array, target: Float32Array, line: TexelLine): void {
  const { size, from, to, stride } = line;
  const at = (index: number) => source[from + index * stride] ?? 0;
  let before = 2 * at(0) - at(1);
  let here = at(0);
  let after = at(1);
  let earlier = 2 * before - here;
  for (let index = 0; index < size; index++) {
    const next = index + 2 < size ? at(index + 2) : 2 * after - here;
    const place = to + 2 * index * stride;
    target[place] = interpolateQuarter(after, here, before, earlier);
    target[place + stride] = interpolateQuarter(before, here, after, next);
    [earlier, before, here, after] = [before, here, after, next];
  }
}

/** A quarter of the way from `here` to `next`. */
function interpolateQuarter(behind: number, here: number, next: number, beyond: number): number {
  return -0.0703125 * behind + 0.8671875 * here + 0.2265625 * next - 0.0234375 * beyond;
}
