/** Pixels as red, green, blue, alpha, red, …; not premultiplied. */
export type Pixels = { width: number; height: number; data: Uint8Array };

type Channel = { mean: number; scale: number; waves: number[] };

/**
 * Writes a ThumbHash: a picture as the first few waves of a cosine transform, four bits for each, in
 * 5 to 37 bytes (evanw.github.io/thumbhash). The viewer reads it.
 */
export function writeThumbHash(pixels: Pixels): Uint8Array {
  const { width, height } = pixels;
  const [light, yellow, red, alpha] = separate(pixels);
  const hasAlpha = alpha.some((value) => value < 1);
  const most = hasAlpha ? 5 : 7;
  const wavesOf = (side: number) =>
    Math.max(1, Math.round((most * side) / Math.max(width, height)));
  const [across, along] = [wavesOf(width), wavesOf(height)];
  const transform = (values: Float64Array, nx: number, ny: number) =>
    describe(values, pixels, nx, ny);

  const l = transform(light, Math.max(3, across), Math.max(3, along));
  const p = transform(yellow, 3, 3);
  const q = transform(red, 3, 3);
  const a = hasAlpha ? [transform(alpha, 5, 5)] : [];
  const isLandscape = width > height;
  return Uint8Array.from([
    ...bytesOf(3, [
      [6, l.mean],
      [6, (p.mean + 1) / 2],
      [6, (q.mean + 1) / 2],
      [5, l.scale],
      [1, Number(hasAlpha)],
    ]),
    ...bytesOf(2, [
      [3, (isLandscape ? along : across) / 7],
      [6, p.scale],
      [6, q.scale],
      [1, Number(isLandscape)],
    ]),
    ...a.flatMap(({ mean, scale }) =>
      bytesOf(1, [
        [4, mean],
        [4, scale],
      ]),
    ),
    ...pairs([l, p, q, ...a].flatMap(({ waves }) => waves)),
  ]);
}

/** Luminance, yellow against blue, red against green, and alpha, from 0 or -1 to 1. */
function separate({ width, height, data }: Pixels) {
  const count = width * height;
  const mean = meanColour(data, count);
  const channels = [0, 1, 2, 3].map(() => new Float64Array(count));
  const [light, yellow, red, alpha] = channels as Four<Float64Array>;
  for (let at = 0; at < count; at++) {
    const opacity = (data[at * 4 + 3] ?? 0) / 255;
    // On nothing lies the mean, so that edges make no waves of their own.
    const [r, g, b] = mean.map(
      (value, part) => value * (1 - opacity) + (opacity * (data[at * 4 + part] ?? 0)) / 255,
    ) as [number, number, number];
    light[at] = (r + g + b) / 3;
    yellow[at] = (r + g) / 2 - b;
    red[at] = r - g;
    alpha[at] = opacity;
  }
  return channels as Four<Float64Array>;
}

type Four<T> = [T, T, T, T];

function meanColour(data: Uint8Array, count: number): number[] {
  const sum = [0, 0, 0];
  let weight = 0;
  for (let at = 0; at < count * 4; at += 4) {
    const opacity = (data[at + 3] ?? 0) / 255;
    weight += opacity;
    for (let part = 0; part < 3; part++) {
      sum[part] = (sum[part] ?? 0) + (opacity * (data[at + part] ?? 0)) / 255;
    }
  }
  return sum.map((value) => (weight === 0 ? 0 : value / weight));
}

/** The waves of a channel, slow ones first, each as a share of the strongest: 0 to 1, none is ½. */
function describe(values: Float64Array, size: Pixels, nx: number, ny: number): Channel {
  const { width, height } = size;
  const waves: number[] = [];
  let [mean, scale] = [0, 0];
  for (let cy = 0; cy < ny; cy++) {
    for (let cx = 0; cx * ny < nx * (ny - cy); cx++) {
      let sum = 0;
      for (let y = 0; y < height; y++) {
        const along = Math.cos((Math.PI / height) * cy * (y + 0.5));
        for (let x = 0; x < width; x++) {
          const across = Math.cos((Math.PI / width) * cx * (x + 0.5));
          sum += (values[y * width + x] ?? 0) * across * along;
        }
      }
      const wave = sum / (width * height);
      if (cx === 0 && cy === 0) mean = wave;
      else waves.push(wave);
      if (cx > 0 || cy > 0) scale = Math.max(scale, Math.abs(wave));
    }
  }
  return { mean, scale, waves: waves.map((wave) => (scale === 0 ? 0 : 0.5 + wave / scale / 2)) };
}

/** Fields of so many bits, each a share of the most it holds, the first one lowest. */
function bytesOf(count: number, fields: readonly [bits: number, share: number][]): number[] {
  let [word, at] = [0, 0];
  for (const [bits, share] of fields) {
    word |= Math.round((2 ** bits - 1) * share) << at;
    at += bits;
  }
  return Array.from({ length: count }, (_, byte) => (word >> (8 * byte)) & 255);
}

function pairs(waves: readonly number[]): number[] {
  const bytes: number[] = new Array(Math.ceil(waves.length / 2)).fill(0);
  for (const [index, wave] of waves.entries()) {
    const byte = index >> 1;
    bytes[byte] = (bytes[byte] ?? 0) | (Math.round(15 * wave) << ((index & 1) * 4));
  }
  return bytes;
}
