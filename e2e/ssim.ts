/** An image without alpha: red, green, blue, red, … */
export type RgbImage = { data: Uint8Array; width: number; height: number };

/** Half of the Gaussian window of 11 pixels with a deviation of 1.5, as in Wang et al. 2004. */
const KERNEL_RADIUS = 5;
const KERNEL = makeGaussianKernel(KERNEL_RADIUS, 1.5);
/** Constants of the same paper, which prevent a division by zero. */
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/**
 * Computes the structural similarity of two images; 1 for equal images.
 *
 * Returns the lowest value of luma, red, green and blue, each averaged over the pixels that differ from
 * the background of the first image, the color of its top left pixel. Our own code instead of ssim.js,
 * which compares only luma and includes the background: with it, images of small models are always
 * similar.
 */
export function ssim(first: RgbImage, second: RgbImage): number {
  const { width, height } = first;
  if (second.width !== width || second.height !== height)
    throw new Error('The images differ in size.');
  const isForeground = findForeground(first);
  return Math.min(
    ...[0, 1, 2, 3].map((channel) => {
      const map = computeSsimMap(
        extractChannel(first, channel),
        extractChannel(second, channel),
        width,
        height,
      );
      let [sum, count] = [0, 0];
      for (let pixel = 0; pixel < map.length; pixel++) {
        if (isForeground[pixel] === 0) continue;
        sum += map[pixel] as number;
        count += 1;
      }
      return count === 0 ? 1 : sum / count;
    }),
  );
}

function findForeground({ data, width, height }: RgbImage): Uint8Array {
  const isForeground = new Uint8Array(width * height);
  for (let pixel = 0; pixel < isForeground.length; pixel++) {
    const differs = [0, 1, 2].some(
      (channel) => Math.abs(readChannel(data, pixel, channel) - (data[channel] ?? 0)) > 4,
    );
    isForeground[pixel] = differs ? 1 : 0;
  }
  return isForeground;
}

function extractChannel({ data, width, height }: RgbImage, channel: number): Float32Array {
  const values = new Float32Array(width * height);
  for (let pixel = 0; pixel < values.length; pixel++) {
    values[pixel] =
      channel < 3
        ? readChannel(data, pixel, channel)
        : 0.299 * readChannel(data, pixel, 0) +
          0.587 * readChannel(data, pixel, 1) +
          0.114 * readChannel(data, pixel, 2);
  }
  return values;
}

function readChannel(data: Uint8Array, pixel: number, channel: number): number {
  return data[pixel * 3 + channel] ?? 0;
}

function computeSsimMap(
  x: Float32Array,
  y: Float32Array,
  width: number,
  height: number,
): Float32Array {
  const blurred = (values: Float32Array) => blur(values, width, height);
  const [meanX, meanY] = [blurred(x), blurred(y)];
  const squareX = blurred(x.map((value) => value * value));
  const squareY = blurred(y.map((value) => value * value));
  const product = blurred(x.map((value, pixel) => value * (y[pixel] as number)));
  return meanX.map((mx, pixel) => {
    const my = meanY[pixel] as number;
    const [vx, vy] = [(squareX[pixel] as number) - mx * mx, (squareY[pixel] as number) - my * my];
    const covariance = (product[pixel] as number) - mx * my;
    return (
      ((2 * mx * my + C1) * (2 * covariance + C2)) / ((mx * mx + my * my + C1) * (vx + vy + C2))
    );
  });
}

function blur(values: Float32Array, width: number, height: number): Float32Array {
  const blurredRows = convolve(values, width, height, 1);
  return convolve(blurredRows, width, height, width);
}

function convolve(values: Float32Array, width: number, height: number, step: number): Float32Array {
  const result = new Float32Array(values.length);
  const length = step === 1 ? width : height;
  for (let pixel = 0; pixel < values.length; pixel++) {
    const position = step === 1 ? pixel % width : Math.floor(pixel / width);
    let sum = 0;
    for (let shift = -KERNEL_RADIUS; shift <= KERNEL_RADIUS; shift++) {
      const clamped = Math.min(Math.max(position + shift, 0), length - 1) - position;
      sum += (KERNEL[shift + KERNEL_RADIUS] as number) * (values[pixel + clamped * step] as number);
    }
    result[pixel] = sum;
  }
  return result;
}

function makeGaussianKernel(radius: number, deviation: number): number[] {
  const raw = Array.from({ length: 2 * radius + 1 }, (_, index) =>
    Math.exp(-((index - radius) ** 2) / (2 * deviation ** 2)),
  );
  const sum = raw.reduce((total, weight) => total + weight, 0);
  return raw.map((weight) => weight / sum);
}
