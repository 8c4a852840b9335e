import sharp from 'sharp';
import type { RecordedFrame } from './frame-recorder.ts';

/** When the pictures of a load reached what a visitor waits for: milliseconds since 1970. */
export type Milestones = {
  useful: number | undefined;
  recognizable: number | undefined;
  full: number;
};

/** The last picture of a load is empty: the browser has not displayed what the page drew. */
export class EmptyPictureError extends Error {
  constructor() {
    super('The browser displayed no model.');
  }
}

type Picture = { pixels: Uint8Array; width: number; height: number };

/** Pictures are compared at half their size: JPEG noise is smaller there. */
const COMPARED_WIDTH = 400;
const COMPARED_HEIGHT = 300;
const BLOCK_SIZE = 10;
/** Levels, of 255. A block that differs more has changed. */
const BLOCK_TOLERANCE = 3;
const BACKGROUND_TOLERANCE = 6;
/** Shares: 0 is the background alone, 1 is the final picture. A blurred poster has the color of the model, but not its edges. */
const USEFUL_SIMILARITY = 0.75;
const USEFUL_SHARPNESS = 0.5;
const RECOGNIZABLE_SIMILARITY = 0.6;

/**
 * Compares the pictures of a load with its last one, over the pixels of the model: those that differ
 * from the background there.
 *
 * - useful: the colors and edges of the model, as a poster has them;
 * - recognizable: the colors of the model at their places;
 * - full: from here on, no block of the picture changes.
 *
 * @throws {EmptyPictureError}
 */
export async function findMilestones(frames: readonly RecordedFrame[]): Promise<Milestones> {
  const last = frames.at(-1);
  if (last === undefined) throw new Error('No frame was recorded.');
  const final = await decode(last.image);
  const reference = createReference(final);
  let [useful, recognizable, full]: (number | undefined)[] = [];
  for (const { at, image } of frames) {
    const picture = await decode(image);
    const similarity = reference.measureSimilarity(picture);
    const sharpness = reference.measureSharpness(picture);
    if (similarity >= RECOGNIZABLE_SIMILARITY) recognizable ??= at;
    if (similarity >= USEFUL_SIMILARITY && sharpness >= USEFUL_SHARPNESS) useful ??= at;
    if (reference.hasChangedBlock(picture)) full = undefined;
    else full ??= at;
  }
  return { useful, recognizable, full: full ?? last.at };
}

async function decode(image: Buffer): Promise<Picture> {
  const { data, info } = await sharp(image)
    .resize(COMPARED_WIDTH, COMPARED_HEIGHT, { fit: 'fill', kernel: 'linear' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

function createReference(final: Picture) {
  const background = findBackground(final);
  const isModel = findModel(final, background);
  const contrast = sumOver(isModel, (index) =>
    Math.abs(at(final.pixels, index) - (background[index % 3] ?? 0)),
  );
  if (contrast === 0) throw new EmptyPictureError();
  const finalSharpness = sumLaplacian(final, isModel);
  return {
    measureSimilarity({ pixels }: Picture): number {
      const difference = sumOver(isModel, (index) =>
        Math.abs(at(pixels, index) - at(final.pixels, index)),
      );
      return 1 - difference / contrast;
    },
    measureSharpness: (picture: Picture) => sumLaplacian(picture, isModel) / finalSharpness,
    hasChangedBlock: (picture: Picture) => hasChangedBlock(picture, final, isModel),
  };
}

/** The median color of the border: the background of a design may be a gradient, and its border is not empty. */
function findBackground({ pixels, width, height }: Picture): number[] {
  const border: number[] = [];
  for (let x = 0; x < width; x++) border.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y++) border.push(y * width, y * width + width - 1);
  return [0, 1, 2].map((channel) => {
    const values = border.map((pixel) => at(pixels, pixel * 3 + channel)).sort((a, b) => a - b);
    return values[values.length >> 1] ?? 0;
  });
}

/** Marks the values, three per pixel, of the pixels that differ from the background. */
function findModel({ pixels }: Picture, background: readonly number[]): Uint8Array {
  const isModel = new Uint8Array(pixels.length);
  for (let index = 0; index < pixels.length; index += 3) {
    const differs = [0, 1, 2].some(
      (channel) =>
        Math.abs(at(pixels, index + channel) - (background[channel] ?? 0)) > BACKGROUND_TOLERANCE,
    );
    if (differs) isModel.fill(1, index, index + 3);
  }
  return isModel;
}

function sumOver(isModel: Uint8Array, measure: (index: number) => number): number {
  let sum = 0;
  for (let index = 0; index < isModel.length; index++)
    if (isModel[index] === 1) sum += measure(index);
  return sum;
}

/** The sum of |laplacian| over the model, of green alone: it is most of the luma. */
function sumLaplacian({ pixels, width }: Picture, isModel: Uint8Array): number {
  const row = width * 3;
  let sum = 0;
  for (let index = row + 4; index < pixels.length - row - 3; index += 3) {
    if (isModel[index] === 0) continue;
    const neighbors =
      at(pixels, index - 3) +
      at(pixels, index + 3) +
      at(pixels, index - row) +
      at(pixels, index + row);
    sum += Math.abs(4 * at(pixels, index) - neighbors);
  }
  return sum;
}

function hasChangedBlock(picture: Picture, final: Picture, isModel: Uint8Array): boolean {
  const { width, height } = final;
  for (let top = 0; top < height; top += BLOCK_SIZE) {
    for (let left = 0; left < width; left += BLOCK_SIZE) {
      if (measureBlock({ picture, final, isModel }, top, left) > BLOCK_TOLERANCE) return true;
    }
  }
  return false;
}

/** The mean difference of the model's values in a block. */
function measureBlock(
  { picture, final, isModel }: { picture: Picture; final: Picture; isModel: Uint8Array },
  top: number,
  left: number,
): number {
  let [sum, count] = [0, 0];
  for (let y = top; y < top + BLOCK_SIZE; y++) {
    const start = (y * final.width + left) * 3;
    for (let index = start; index < start + BLOCK_SIZE * 3; index++) {
      if (isModel[index] === 0) continue;
      sum += Math.abs(at(picture.pixels, index) - at(final.pixels, index));
      count += 1;
    }
  }
  // A few pixels at the edge of the model are mostly noise.
  return count < BLOCK_SIZE * 3 ? 0 : sum / count;
}

const at = (values: Uint8Array, index: number) => values[index] as number;
