import type { Texture } from '@gltf-transform/core';
import { decodeTextureOf } from '../textures/compress-textures.ts';
import type { PixelData } from '../textures/decode-pixels.ts';

/** So many pixels are kept: 64 MiB. */
const MAX_PIXELS = 4096 ** 2;

/** The images of textures, each decoded once for all sizes of a preview: for a large one, that takes longer than to encode it. */
export class DecodedTextures {
  /** The longest side of the images that are kept, in pixels. */
  readonly #size: number;
  readonly #pixels = new Map<Texture, Promise<PixelData>>();

  /**
   * @param count of the textures
   * @param sizes of previews, descending. The largest one is kept for which the images need little memory.
   */
  constructor(count: number, sizes: readonly number[]) {
    this.#size = sizes.find((size) => count * size ** 2 <= MAX_PIXELS) ?? Math.min(...sizes);
  }

  /**
   * Decodes the image of a texture, unless that was done. Returns undefined if `maxSize` is larger than what is kept.
   *
   * @throws {Problem} design.unreadable: it is damaged
   */
  async get(texture: Texture, image: Uint8Array, maxSize: number): Promise<PixelData | undefined> {
    if (maxSize > this.#size) return undefined;
    let pixels = this.#pixels.get(texture);
    if (pixels === undefined) {
      pixels = decodeTextureOf(texture, image, this.#size);
      this.#pixels.set(texture, pixels);
    }
    return pixels;
  }
}
