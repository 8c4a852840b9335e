import type { vec3 } from '@gltf-transform/core';

/** Converts an sRGB component from 0 to 1 to a linear one. */
export function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Converts a linear component from 0 to 1 to an sRGB one. */
export function linearToSrgb(value: number): number {
  return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
}

/** Limits a value to the range from 0 to 1. */
export function clamp01(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}

/** Converts an sRGB color to a linear one. Components are limited to 0..1; missing ones are 0. */
export function toLinearColor([red = 0, green = 0, blue = 0]: readonly number[]): vec3 {
  const toLinear = (value: number) => srgbToLinear(clamp01(value));
  return [toLinear(red), toLinear(green), toLinear(blue)];
}

/** Converts sRGB colors, three components each, to opaque linear vertex colors of 16 bits. */
export function toVertexColors(srgbColors: Float32Array): Uint16Array<ArrayBuffer> {
  const vertexColors = new Uint16Array((srgbColors.length / 3) * 4).fill(65535);
  srgbColors.forEach((value, index) => {
    const linear = srgbToLinear(clamp01(value));
    vertexColors[index + Math.floor(index / 3)] = Math.round(65535 * linear);
  });
  return vertexColors;
}
