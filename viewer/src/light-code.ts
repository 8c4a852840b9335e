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
export type Level = { size: number; texels: Float32Array };

/** The size at which every pyramid starts; also the size of the last mip level. */
export const COARSEST = 8;

/** Exactness: no written texel is further than half of this from the truth, in stops. */
export const STEP = 0.03;

/** Finer squares than this are interpolated alone: the panels' edges are softer than its texels. */
const FINEST_WRITTEN = 64;

/** Letters start here; a residual of 0 is `FIRST`. The backslash and the quotes stay unused. */
const FIRST = 40;
const LETTERS = 50;

/** Writes the levels, sharpest first, as letters. */
export function encodeLevels(levels: readonly Level[]): string {
  return levels
    .map(({ size, texels }) => encodePyramid(size, Array.from(texels, Math.log2)))
    .join('');
}

/** Reads what `encodeLevels` wrote for levels whose sharpest has the edge `size`. */
export function decodeLevels(text: string, size: number): Level[] {
  const letters = readLetters(text);
  const levels: Level[] = [];
  for (let edge = size; edge >= COARSEST; edge /= 2) {
    let texels = new Float32Array(6 * COARSEST ** 2);
    correct(texels, letters);
    for (let width = COARSEST; width < edge; width *= 2) {
      texels = double(texels, width);
      if (2 * width <= finestWritten(edge)) correct(texels, letters);
    }
    levels.push({ size: edge, texels: texels.map((value) => 2 ** value) });
  }
  return levels;
}

/** The sharp levels leave their last doubling to interpolation, the rough ones are small anyway. */
function finestWritten(size: number): number {
  return Math.min(FINEST_WRITTEN, Math.max(size / 2, 16));
}

function encodePyramid(size: number, texels: readonly number[]): string {
  const sizes: number[] = [];
  for (let edge = COARSEST; edge <= finestWritten(size); edge *= 2) sizes.push(edge);

  let text = '';
  let guess = new Float32Array(6 * COARSEST ** 2);
  for (const edge of sizes) {
    if (edge > COARSEST) guess = double(guess, edge / 2);
    const truth = shrink(texels, size, edge);
    let before = 0;
    for (let index = 0; index < truth.length; index++) {
      const steps = Math.round(((truth[index] ?? 0) - (guess[index] ?? 0)) / STEP);
      // The coarsest square has no guess, so it tells differences.
      text += writeLetters(edge === COARSEST ? steps - before : steps);
      before = steps;
      guess[index] = (guess[index] ?? 0) + steps * STEP;
    }
  }
  return text;
}

/** Adds what is written to what was guessed. */
function correct(texels: Float32Array, letters: Iterator<number>): void {
  const telling = texels.length === 6 * COARSEST ** 2;
  let steps = 0;
  for (let index = 0; index < texels.length; index++) {
    const letter = letters.next().value as number;
    steps = telling ? steps + letter : letter;
    texels[index] = (texels[index] ?? 0) + steps * STEP;
  }
}

function writeLetters(steps: number): string {
  let rest = steps >= 0 ? 2 * steps : -2 * steps - 1;
  let text = '';
  for (; rest >= LETTERS; rest -= LETTERS) text += String.fromCharCode(FIRST + LETTERS);
  return text + String.fromCharCode(FIRST + rest);
}

function* readLetters(text: string): Generator<number, undefined> {
  let sum = 0;
  for (let index = 0; index < text.length; index++) {
    const value = text.charCodeAt(index) - FIRST;
    sum += value;
    if (value === LETTERS) continue;
    yield sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2;
    sum = 0;
  }
}

/** The mean of every block of texels: `texels` at a smaller edge. */
function shrink(texels: readonly number[], size: number, edge: number): Float32Array {
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
function double(texels: Float32Array, size: number): Float32Array<ArrayBuffer> {
  const wide = new Float32Array(6 * size * size * 2);
  for (let row = 0; row < 6 * size; row++) {
    stretch(texels, wide, { size, from: row * size, to: row * size * 2, stride: 1 });
  }
  const whole = new Float32Array(6 * size * size * 4);
  const width = 2 * size;
  for (let face = 0; face < 6; face++) {
    for (let column = 0; column < width; column++) {
      const from = face * size * width + column;
      const to = face * width * width + column;
      stretch(wide, whole, { size, from, to, stride: width });
    }
  }
  return whole;
}

type Line = { size: number; from: number; to: number; stride: number };

/** One line of texels to twice its length by Catmull-Rom; beyond its ends it goes on straight. */
function stretch(source: Float32Array, target: Float32Array, line: Line): void {
  const { size, from, to, stride } = line;
  const at = (index: number) => source[from + index * stride] ?? 0;
  let before = 2 * at(0) - at(1);
  let here = at(0);
  let after = at(1);
  let earlier = 2 * before - here;
  for (let index = 0; index < size; index++) {
    const next = index + 2 < size ? at(index + 2) : 2 * after - here;
    const place = to + 2 * index * stride;
    target[place] = blend(after, here, before, earlier);
    target[place + stride] = blend(before, here, after, next);
    [earlier, before, here, after] = [before, here, after, next];
  }
}

/** A quarter of the way from `here` to `next`. */
function blend(behind: number, here: number, next: number, beyond: number): number {
  return -0.0703125 * behind + 0.8671875 * here + 0.2265625 * next - 0.0234375 * beyond;
}
