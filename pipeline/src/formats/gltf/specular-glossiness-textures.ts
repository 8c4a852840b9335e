import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { Document, Texture } from '@gltf-transform/core';
import sharp, { type Sharp } from 'sharp';
import { VALIDATION_LIMITS } from '../../validation/limits.ts';

const MAX_PIXELS = VALIDATION_LIMITS.imageSide ** 2;

/** Converts specular-glossiness textures, each only once for all materials. */
export class SpecularGlossinessTextures {
  readonly #document: Document;
  readonly #specular = new Map<Texture, Texture>();
  /** By texture and glossiness factor: the roughness is no multiple of the glossiness. */
  readonly #roughness = new Map<Texture, Map<number, Texture | undefined>>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** Returns the specular color, which is in red, green and blue. */
  async toSpecular(source: Texture): Promise<Texture> {
    const found = this.#specular.get(source);
    if (found) return found;
    const png = await readImage(source, (image) => image.removeAlpha().png().toBuffer());
    const specular = this.#createTexture(source, png);
    this.#specular.set(source, specular);
    return specular;
  }

  /** Returns the roughness from the glossiness, which is in alpha; undefined if the image has no alpha. */
  async toRoughness(source: Texture, glossinessFactor: number): Promise<Texture | undefined> {
    const byFactor = this.#roughness.get(source) ?? new Map<number, Texture | undefined>();
    this.#roughness.set(source, byFactor);
    if (!byFactor.has(glossinessFactor)) {
      byFactor.set(glossinessFactor, await this.#createRoughness(source, glossinessFactor));
    }
    return byFactor.get(glossinessFactor);
  }

  /** Removes the converted textures from the document, unless they have another use. */
  disposeUnused(): void {
    const root = this.#document.getRoot();
    for (const texture of this.#specular.keys()) {
      if (texture.listParents().every((parent) => parent === root)) texture.dispose();
    }
  }

  async #createRoughness(source: Texture, factor: number): Promise<Texture | undefined> {
    const { hasAlpha } = await readImage(source, (image) => image.metadata());
    if (!hasAlpha) return undefined;
    const { data, info } = await readImage(source, (image) =>
      image.extractChannel('alpha').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true }),
    );
    for (let index = 0; index < data.length; index++) {
      data[index] = 255 - Math.round((data[index] as number) * factor);
    }
    const { width, height } = info;
    const png = await sharp(data, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer();
    return this.#createTexture(source, png);
  }

  #createTexture(source: Texture, png: Buffer): Texture {
    return this.#document
      .createTexture(source.getName())
      .setImage(Uint8Array.from(png))
      .setMimeType('image/png');
  }
}

/** Reads the stored values of an image, without its color profile, which WebGL ignores too. */
async function readImage<T>(texture: Texture, read: (image: Sharp) => Promise<T>): Promise<T> {
  const options = { ignoreIcc: true, limitInputPixels: MAX_PIXELS, failOn: 'error' } as const;
  try {
    return await read(
      sharp(texture.getImage() ?? new Uint8Array(0), options).toColourspace('srgb'),
    );
  } catch (cause) {
    const name = texture.getName();
    const subject = name === '' ? 'a texture without a name' : `texture ${quoteUntrusted(name)}`;
    const detail = `The image of ${subject} is damaged. Export the file again.`;
    throw new Problem('design.unreadable', { detail, cause });
  }
}
