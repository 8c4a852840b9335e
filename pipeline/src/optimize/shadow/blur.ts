/** A picture with one number per texel, in rows. */
export type Grid = { width: number; height: number; values: Float64Array };

/** Passes of the box filter: three approximate a Gaussian to 3 %. */
const PASSES = 3;

/**
 * Blurs a picture with a Gaussian, in place. Outside the picture is nothing (0). The time does not depend on
 * the radius.
 *
 * @param sigma the standard deviation, texels
 */
export function blur({ width, height, values }: Grid, sigma: number): void {
  if (!(sigma > 0)) return;
  const box = computeBox(sigma);
  const line = new Float64Array(Math.max(width, height) + 2 * (box.radius + 1));
  for (let pass = 0; pass < PASSES; pass++) {
    for (let row = 0; row < height; row++) {
      filterLine(values, line, { start: row * width, stride: 1, count: width }, box);
    }
    for (let column = 0; column < width; column++) {
      filterLine(values, line, { start: column, stride: width, count: height }, box);
    }
  }
}

/** Texels up to `radius` have the weight `inner`, those next to them have `outer`. The sum is 1. */
type Box = { radius: number; inner: number; outer: number };

/** Computes the extended box filter (Gwosdek et al., 2011), whose standard deviation may have any value. */
function computeBox(sigma: number): Box {
  const variance = sigma ** 2 / PASSES;
  const radius = Math.floor(Math.sqrt(12 * variance + 1) / 2 - 0.5);
  const excess =
    ((2 * radius + 1) * (radius * (radius + 1) - 3 * variance)) /
    (6 * (variance - (radius + 1) ** 2));
  const inner = 1 / (2 * (excess + radius) + 1);
  return { radius, inner, outer: excess * inner };
}

type Line = { start: number; stride: number; count: number };

/** Filters one row or column, with a running sum. `padded` is overwritten. */
function filterLine(
  values: Float64Array,
  padded: Float64Array,
  { start, stride, count }: Line,
  { radius, inner, outer }: Box,
): void {
  const padding = radius + 1;
  padded.fill(0, 0, count + 2 * padding);
  for (let index = 0; index < count; index++) {
    padded[padding + index] = values[start + index * stride] as number;
  }
  let sum = 0;
  for (let index = 1; index <= 2 * radius; index++) sum += padded[index] as number;
  for (let index = 0; index < count; index++) {
    const end = index + 2 * radius + 1;
    sum += padded[end] as number;
    const edges = (padded[index] as number) + (padded[end + 1] as number);
    values[start + index * stride] = inner * sum + outer * edges;
    sum -= padded[index + 1] as number;
  }
}
