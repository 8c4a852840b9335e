import { Texture } from 'three';

/**
 * Textures that are empty until their images are decoded, so that the shaders of a model can be compiled meanwhile. All copies of a
 * texture get its image.
 */
export class LateTextures {
  readonly #indices = new Map<Texture, number>();

  /** The textures and their copies, each with the index of its image. */
  get indices(): ReadonlyMap<Texture, number> {
    return this.#indices;
  }

  /** Creates an empty texture for an image. */
  add(index: number): Texture {
    return this.#track(new Texture(), index);
  }

  /** Gives the textures of an image what was decoded. */
  fill(index: number, { source: { data } }: Texture): void {
    for (const [texture, imageIndex] of this.#indices) {
      if (imageIndex !== index) continue;
      texture.source.data = data;
      texture.needsUpdate = true;
    }
  }

  #track(texture: Texture, index: number): Texture {
    this.#indices.set(texture, index);
    texture.clone = () => this.#track(copyTexture(texture, texture.source), index) as never;
    return texture;
  }
}

/** Copies a texture, with another image. */
export function copyTexture(texture: Texture, source: Texture['source']): Texture {
  const copy = new Texture().copy(texture);
  copy.source = source;
  if (source.data !== null) copy.needsUpdate = true;
  return copy;
}
