/**
 * Quantizes vertex colors. They are linear: 8 bits are enough for bright colors, but of the 41 darkest levels of sRGB, six
 * remain. Colors that would look different get 16 bits, in steps as large as is invisible, which compress better.
 *
 * Notes (November 2026). A scan of 100,981 vertices and 200,000 triangles, sRGB colors with the noise of a camera: bytes in
 * transfer, and the largest error in levels of sRGB. Without colors, the scan has 352,918 to 375,345 bytes.
 *
 *                                 0..40           10..90          30..200         90..255
 *   8 bits                        382,639  6.0    427,328  5.7    508,546  2.8    559,005  0.8
 *   12 of 16 bits                 512,170  0.4    594,607  0.4    696,142  0.2    753,116  0.1
 *   16 bits                       546,134  0.0    684,953  0.0    790,612  0.0    847,948  0.0
 *   steps within half a level     511,415  0.4    570,079  0.4    618,158  0.4    619,057  0.4
 *   steps within a level          481,828  0.8    530,873  0.9    577,704  0.9    588,918  0.7
 *
 * Chosen: steps within a level for 0..40 and 10..90, 8 bits for the others. Of their vertices, few or none differ by
 * more than two levels.
 */
import { Accessor } from '@gltf-transform/core';
import { linearToSrgb } from '../../mesh/color.ts';
import { createNormalized } from './normalized-accessor.ts';

/** Two levels of sRGB. */
const VISIBLE_ERROR = 2 / 255;
/** With 8 bits, no component above this has a visible error. */
const MAX_DARK = 0.025;
/** A twentieth of the vertices may have a visible error. */
const MAX_VISIBLE_SHARE = 0.05;
const MAX_UINT16 = 65_535;

/** Undefined if the colors have 8 bits, or do not fit into normalized integers. */
export function quantizeColors(source: Accessor): Accessor | undefined {
  if (source.getComponentType() === Accessor.ComponentType.UNSIGNED_BYTE) return undefined;
  const size = source.getElementSize();
  const components = new Float32Array(source.getCount() * size);
  const color: number[] = [];
  for (let index = 0; index < source.getCount(); index++) {
    source.getElement(index, color);
    // Components greater than one are allowed, but not in normalized integers.
    if (color.some((component) => component < 0 || component > 1)) return undefined;
    components.set(color, index * size);
  }
  const needs16Bits = countVisibleErrors(components, size) > MAX_VISIBLE_SHARE * source.getCount();
  const integers = needs16Bits
    ? Uint16Array.from(components, (component, index) =>
        index % size === 3 ? 257 * toByte(component) : toSteps(component),
      )
    : Uint8Array.from(components, toByte);
  return createNormalized(source, integers);
}

/** Counts the vertices that would look different with 8 bits. */
function countVisibleErrors(components: Float32Array, size: number): number {
  let count = 0;
  for (let start = 0; start < components.length; start += size) {
    const rgb = components.subarray(start, start + 3);
    if (rgb.some(hasVisibleError)) count++;
  }
  return count;
}

function hasVisibleError(component: number): boolean {
  if (component > MAX_DARK) return false;
  const displayed = linearToSrgb(toByte(component) / 255);
  return Math.abs(displayed - linearToSrgb(component)) > VISIBLE_ERROR;
}

function toByte(component: number): number {
  return Math.round(255 * component);
}

/** Rounds a component to 16 bits with an error of less than a level of sRGB. Rounded ones stay the same. */
function toSteps(component: number): number {
  const value = MAX_UINT16 * component;
  const step = getStep(value);
  return Math.min(MAX_UINT16, Math.round(value / step) * step);
}

/** The darker a color, the more a difference is visible. Limits are multiples of both steps. */
function getStep(value: number): number {
  if (value < 512) return 32;
  if (value < 1536) return 64;
  return value < 5120 ? 128 : 256;
}
