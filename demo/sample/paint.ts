import type { Noise } from './noise.ts';
import { encodePng } from './png.ts';
import { clamp, mix3, type Vec2, type Vec3 } from './vector.ts';

/** A square image of one colour scale: stops at equal distances, read in `shades` steps. */
interface Scale {
  readonly size: number;
  readonly ramp: readonly string[];
  readonly shades: number;
}

/** A PNG with a palette: `level` tells for every pixel where on the scale it is, 0 to 1. */
export function paint({ size, ramp, shades }: Scale, level: Noise): Buffer {
  const pixels = new Uint8Array(size * size);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const shade = clamp(level((x + 0.5) / size, (y + 0.5) / size));
      pixels[y * size + x] = Math.round(shade * (shades - 1));
    }
  }
  const colors = ramp.map(parse);
  const palette = Array.from({ length: shades }, (_, i) => read(colors, i / (shades - 1)));
  return encodePng(size, pixels, palette);
}

/** A PNG in full colour. */
export function paintColors([width, height]: Vec2, color: (u: number, v: number) => Vec3): Buffer {
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      pixels.set(color((x + 0.5) / width, (y + 0.5) / height), (y * width + x) * 3);
    }
  }
  return encodePng(width, pixels);
}

/** The three bytes of `#rrggbb`. */
export function parse(color: string): Vec3 {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function read(colors: readonly Vec3[], t: number): Vec3 {
  const index = Math.min(colors.length - 2, Math.floor(t * (colors.length - 1)));
  const [from, to] = [colors[index], colors[index + 1]];
  if (!from || !to) throw new RangeError('a colour scale has two stops or more');
  return mix3(from, to, t * (colors.length - 1) - index);
}
