/**
 * Reads a ThumbHash: a picture as the first few waves of a cosine transform, in 5 to 37 bytes, four
 * bits for each. First five bytes of means, scales and shape, then the waves of luminance, of the two
 * chrominances, and of alpha if there is any. Colours are luminance, yellow against blue, and red
 * against green.
 */

/** Pixels as red, green, blue, alpha, red, … */
export type Pixels = { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> };

/** The longer side of what is read. */
const EDGE = 32;
/** Chrominance is written weaker than it was, so that rounding does not make it louder. */
const SATURATION = 1.25;

type Channel = { mean: number; across: number; along: number; waves: number[] };

/** Reads the bytes of a hash. Of bytes that are none, some picture comes out. */
export function readThumbHash(hash: Uint8Array): Pixels {
  const byte = (index: number) => hash[index] ?? 0;
  const head = byte(0) | (byte(1) << 8) | (byte(2) << 16);
  const tail = byte(3) | (byte(4) << 8);
  const hasAlpha = head >> 23 === 1;
  const isLandscape = tail >> 15 === 1;
  const longer = hasAlpha ? 5 : 7;
  const shorter = tail & 7;
  const [across, along] = isLandscape ? [longer, shorter] : [shorter, longer];

  let nibble = hasAlpha ? 12 : 10;
  const read = (mean: number, scale: number, nx: number, ny: number): Channel => {
    const waves: number[] = [];
    for (let y = 0; y < ny; y++) {
      for (let x = y > 0 ? 0 : 1; x * ny < nx * (ny - y); x++, nibble++) {
        const four = (byte(nibble >> 1) >> ((nibble & 1) * 4)) & 15;
        waves.push((four / 7.5 - 1) * scale);
      }
    }
    return { mean, across: nx, along: ny, waves };
  };
  const bits = (from: number, at: number, most: number) => ((from >> at) & most) / most;
  const chroma = (mean: number, scale: number) => read(mean * 2 - 1, scale * SATURATION, 3, 3);
  const channels = [
    read(bits(head, 0, 63), bits(head, 18, 31), Math.max(3, across), Math.max(3, along)),
    chroma(bits(head, 6, 63), bits(tail, 3, 63)),
    chroma(bits(head, 12, 63), bits(tail, 9, 63)),
  ];
  if (hasAlpha) channels.push(read(bits(byte(5), 0, 15), bits(byte(5), 4, 15), 5, 5));
  return draw(channels, Math.max(across, 1) / Math.max(along, 1));
}

function draw(channels: readonly Channel[], aspect: number): Pixels {
  const width = Math.round(aspect > 1 ? EDGE : EDGE * aspect);
  const height = Math.round(aspect > 1 ? EDGE / aspect : EDGE);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let index = 0; index < width * height; index++) {
    const x = ((index % width) + 0.5) / width;
    const y = (Math.floor(index / width) + 0.5) / height;
    const [light = 0, yellow = 0, red = 0, alpha = 1] = channels.map((one) => sum(one, x, y));
    const blue = light - (yellow * 2) / 3;
    const warm = (3 * light - blue + red) / 2;
    // Cut off as the reference does, which leaves the rest to an array that does not round.
    data.set(
      [warm, warm - red, blue, alpha].map((part) => Math.floor(255 * part)),
      index * 4,
    );
  }
  return { width, height, data };
}

/** The waves of a channel at a place, 0 to 1 across and along. */
function sum({ mean, across, along, waves }: Channel, x: number, y: number): number {
  let [value, index] = [mean, 0];
  for (let ny = 0; ny < along; ny++) {
    for (let nx = ny > 0 ? 0 : 1; nx * along < across * (along - ny); nx++, index++) {
      const wave = Math.cos(Math.PI * x * nx) * Math.cos(Math.PI * y * ny);
      // Waves are written at half their height.
      value += 2 * (waves[index] ?? 0) * wave;
    }
  }
  return value;
}
