import { readScreenPixels, type Screen } from '../viewer/testing/embedded-viewer.ts';

/** A color as bytes: red, green, blue. */
export type RgbColor = readonly [number, number, number];

export const MAGENTA: RgbColor = [255, 0, 255];
export const CYAN: RgbColor = [0, 255, 255];

/** Counts the pixels of a screenshot that have nearly one of these colors. */
export async function countPixels(page: Screen, ...colors: readonly RgbColor[]): Promise<number> {
  const { data } = await readScreenPixels(page);
  let count = 0;
  for (let index = 0; index < data.length; index += 3) {
    const [r = 0, g = 0, b = 0] = data.subarray(index, index + 3);
    const isNear = ([red, green, blue]: RgbColor) =>
      Math.abs(r - red) < 48 && Math.abs(g - green) < 48 && Math.abs(b - blue) < 48;
    if (colors.some(isNear)) count += 1;
  }
  return count;
}
