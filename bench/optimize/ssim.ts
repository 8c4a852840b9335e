/** A picture without alpha: red, green, blue, red, … */
export type RgbImage = { data: Uint8Array; width: number; height: number };

/** Half of a Gaussian window of 11 pixels with a deviation of 1.5, as Wang et al. 2004 have it. */
const KERNEL_RADIUS = 5;
const KERNEL = makeGaussianKernel(KERNEL_RADIUS, 1.5);
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/**
 * How alike two pictures look: 1 is the same. Structural similarity of luma and of red, green and
 * blue, each averaged over the pixels that are not the background of the first picture (its corner);
 * the lowest of the four counts. Stricter than the usual number, which an empty background raises.
 */
export function ssim(one: RgbImage, other: RgbImage): number {
  const { width, height } = one;
  if (other.width !== width || other.height !== height) throw new Error('Pictures differ in size.');
  const shown = findForeground(one);
  return Math.min(
    ...[0, 1, 2, 3].map((channel) => {
      const map = computeSsimMap(
        extractChannel(one, channel),
        extractChannel(other, channel),
        width,
        height,
      );
      let [sum, count] = [0, 0];
      for (let at = 0; at < map.length; at++) {
        if (shown[at] === 0) continue;
        sum += map[at] as number;
        count += 1;
      }
      return count === 0 ? 1 : sum / count;
    }),
  );
}

function findForeground({ data, width, height }: RgbImage): Uint8Array {
  const shown = new Uint8Array(width * height);
  for (let at = 0; at < shown.length; at++) {
    const far = [0, 1, 2].some(
      (part) => Math.abs(readChannel(data, at, part) - (data[part] ?? 0)) > 4,
    );
    shown[at] = far ? 1 : 0;
  }
  return shown;
}

function extractChannel({ data, width, height }: RgbImage, channel: number): Float32Array {
  const values = new Float32Array(width * height);
  for (let at = 0; at < values.length; at++) {
    values[at] =
      channel < 3
        ? readChannel(data, at, channel)
        : 0.299 * readChannel(data, at, 0) +
          0.587 * readChannel(data, at, 1) +
          0.114 * readChannel(data, at, 2);
  }
  return values;
}

function readChannel(data: Uint8Array, at: number, part: number): number {
  return data[at * 3 + part] ?? 0;
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
  const product = blurred(x.map((value, at) => value * (y[at] as number)));
  return meanX.map((mx, at) => {
    const my = meanY[at] as number;
    const [vx, vy] = [(squareX[at] as number) - mx * mx, (squareY[at] as number) - my * my];
    const covariance = (product[at] as number) - mx * my;
    const alike = (2 * mx * my + C1) * (2 * covariance + C2);
    return alike / ((mx * mx + my * my + C1) * (vx + vy + C2));
  });
}

function blur(values: Float32Array, width: number, height: number): Float32Array {
  const across = convolve(values, width, height, 1);
  return convolve(across, width, height, width);
}

function convolve(values: Float32Array, width: number, height: number, step: number): Float32Array {
  const result = new Float32Array(values.length);
  const length = step === 1 ? width : height;
  for (let at = 0; at < values.length; at++) {
    const place = step === 1 ? at % width : Math.floor(at / width);
    let sum = 0;
    for (let shift = -KERNEL_RADIUS; shift <= KERNEL_RADIUS; shift++) {
      const inside = Math.min(Math.max(place + shift, 0), length - 1) - place;
      sum += (KERNEL[shift + KERNEL_RADIUS] as number) * (values[at + inside * step] as number);
    }
    result[at] = sum;
  }
  return result;
}

function makeGaussianKernel(reach: number, deviation: number): number[] {
  const raw = Array.from({ length: 2 * reach + 1 }, (_, at) =>
    Math.exp(-((at - reach) ** 2) / (2 * deviation ** 2)),
  );
  const sum = raw.reduce((total, weight) => total + weight, 0);
  return raw.map((weight) => weight / sum);
}
