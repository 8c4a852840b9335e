import { Texture } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/** GLTFLoader reads each image once, and clones the texture if it is in this cache. */
export type GltfParserWithCache = GLTFParser & { sourceCache: Record<number, Promise<Texture>> };

/**
 * Textures that are empty until their images are decoded, so that the shaders of a model can be compiled meanwhile. All copies of a
 * texture get its image.
 */
export class PendingTextures {
  readonly #indices = new Map<Texture, number>();

  /** The textures and their copies, each with the index of its image. Without those whose image cannot be decoded. */
  get indices(): ReadonlyMap<Texture, number> {
    return this.#indices;
  }

  /** Creates an empty texture for an image. */
  add(index: number): Texture {
    return this.#track(new Texture(), index);
  }

  /** Decodes an image, and sets it for all its textures. If that fails, they remain empty, and the console says so. */
  async decode(index: number, image: Promise<Texture>): Promise<void> {
    try {
      const { source } = await image;
      for (const texture of this.#list(index)) {
        texture.source.data = source.data;
        texture.needsUpdate = true;
      }
    } catch (error) {
      for (const texture of this.#list(index)) {
        this.#indices.delete(texture);
        // Later copies are not tracked either.
        Reflect.deleteProperty(texture, 'clone');
      }
      const cause = { cause: error };
      console.error('Cloche:', new Error(`Image ${index} of the model cannot be decoded.`, cause));
    }
  }

  #list(index: number): Texture[] {
    return [...this.#indices].filter(([, each]) => each === index).map(([texture]) => texture);
  }

  #track(texture: Texture, index: number): Texture {
    this.#indices.set(texture, index);
    texture.clone = () => this.#track(copyTexture(texture, texture.source), index) as never;
    return texture;
  }
}

/** Copies the parameters of a texture, for an image. */
export function copyTexture(texture: Texture, source: Texture['source']): Texture {
  const copy = new Texture().copy(texture);
  copy.source = source;
  if (source.data !== null) copy.needsUpdate = true;
  // Else three.js would miss the image at every draw.
  else copy.version = 0;
  return copy;
}
