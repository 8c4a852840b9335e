import { clamp01, srgbToLinear } from '../../mesh/color.ts';
import { DEFAULT_COLOR } from '../../mesh/default-material.ts';
import { createGrowableFloats, VertexDeduplicator } from '../../mesh/growable-array.ts';

/** In place of the components that a color does not have. */
const NONE = -1;

/**
 * The different colors of an OFF. They are bytes, or fractions from 0 to 1.
 *
 * The digits do not tell which: some programs write 1.0 as `1`. So the values are bytes if one of all
 * colors exceeds 1. The same holds for alpha by itself.
 */
export class OffColorTable {
  readonly #deduplicator = new VertexDeduplicator(4);
  readonly #row = new Float32Array(4);
  readonly #rowBits = new Uint32Array(this.#row.buffer);
  readonly #components = createGrowableFloats();
  #maximum = 0;
  #maximumAlpha = 0;

  get size(): number {
    return this.#deduplicator.size;
  }

  /** Adds a color of three or four components, or the default color if there are fewer. */
  add(components: readonly number[]): number {
    this.#row.fill(NONE);
    if (components.length >= 3) this.#row.set(components.slice(0, 4));
    const color = this.#deduplicator.getOrAdd(this.#rowBits);
    if (4 * color === this.#components.length) {
      for (const component of this.#row) this.#components.push(component);
      this.#maximum = Math.max(this.#maximum, ...this.#row.subarray(0, 3));
      this.#maximumAlpha = Math.max(this.#maximumAlpha, this.#row[3] as number);
    }
    return color;
  }

  /** Converts all colors to linear RGBA from 0 to 65535. */
  toLinearColors(): Uint16Array<ArrayBuffer> {
    const scale = this.#maximum > 1 ? 255 : 1;
    const alphaScale = this.#maximumAlpha > 1 ? 255 : 1;
    return Uint16Array.from(this.#components.toTypedArray(), (value, index) => {
      const channel = index % 4;
      if (channel === 3) {
        // Programs that do not use alpha write 0 for all colors.
        const opaque = value === NONE || this.#maximumAlpha === 0;
        return opaque ? 65535 : Math.round(65535 * clamp01(value / alphaScale));
      }
      const linear =
        value === NONE ? DEFAULT_COLOR[channel as 0 | 1 | 2] : srgbToLinear(clamp01(value / scale));
      return Math.round(65535 * linear);
    });
  }
}
