import { TEXTURE_LEVELS_EXTENSION, type TextureLevelsImage } from '@cloche/contract/texture-levels';
import type { Texture, WebGLRenderer } from 'three';
import type { GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { ViewerError } from '../viewer-error.ts';
import { closeImage, decodeImage } from './image-memory.ts';
import { copyTexture, type GltfParserWithCache, PendingTextures } from './pending-textures.ts';
import { readTexturePack } from './read-texture-pack.ts';
import type { ModelScale, TexturePack } from './select-texture-pack.ts';
import { fitsDevice } from './texture-memory.ts';
import { uploadImageParts } from './upload-image-parts.ts';

type TextureLevelsOptions = {
  select: (scale: ModelScale, fits: (pack: TexturePack) => boolean) => TexturePack | undefined;
  /** @throws {ViewerError} as `download` */
  load: (pack: TexturePack, signal: AbortSignal) => Promise<ArrayBuffer>;
};

type ReplaceOptions = {
  renderer: WebGLRenderer;
  /** The textures that the materials of the model use. */
  used: ReadonlySet<Texture>;
  /** Cancels the download. */
  signal: AbortSignal;
  /** Throws if the images must not be replaced any more. */
  assertActive: () => void;
  /** Resolves in a later task. */
  yieldToEventLoop: () => Promise<void>;
};

/**
 * The images of a model that are in texture packs. Replaces them with larger ones while the model is shown.
 *
 * The textures remain the same objects, so materials, variants and shadows are not concerned; only their
 * sources are replaced. three.js uploads a source once for all textures that share it and have the same
 * parameters. So temporary copies of the textures upload the new sources, a part in each task; then all
 * textures get them at once, without an upload.
 */
export class TextureLevels {
  readonly #options: TextureLevelsOptions;
  readonly #textures = new PendingTextures();
  /** The parser itself would keep the file in memory. */
  #imageLoader: GLTFParser['textureLoader'] | undefined;
  #size: number;
  #images: Promise<readonly Blob[]>;
  #decoded: Promise<void> = Promise.resolve();
  #isReleased = false;

  /** @param file of the first pack, while it is loading */
  constructor(size: number, file: Promise<ArrayBuffer>, options: TextureLevelsOptions) {
    this.#options = options;
    this.#size = size;
    this.#images = file.then(readTexturePack).catch((cause: unknown) => {
      throw cause instanceof ViewerError ? cause : new ViewerError('invalid-file', { cause });
    });
    this.#images.catch(() => undefined);
  }

  /** The size of the pack whose images are shown. */
  get size(): number {
    return this.#size;
  }

  /**
   * Resolves when the textures have their images, or none if they are damaged.
   *
   * @throws {ViewerError} as `download`; invalid-file: the pack is damaged
   */
  get decoded(): Promise<void> {
    return this.#decoded;
  }

  /**
   * Creates the plugin that reads the images of a geometry from the pack, for `GLTFLoader.register`. The textures are empty until
   * `decoded` resolves, so that the shaders can be compiled before.
   */
  createPlugin(parser: GLTFParser): GLTFLoaderPlugin {
    this.#imageLoader = parser.textureLoader;
    const { images = [] } = parser.json as { images?: { extensions?: Record<string, unknown> }[] };
    for (const [sourceIndex, { extensions }] of images.entries()) {
      const reference = extensions?.[TEXTURE_LEVELS_EXTENSION] as TextureLevelsImage | undefined;
      if (reference === undefined) continue;
      const texture = this.#textures.add(reference.index);
      (parser as GltfParserWithCache).sourceCache[sourceIndex] = Promise.resolve(texture);
    }
    this.#decoded = this.#decodeImages();
    this.#decoded.catch(() => undefined);
    return { name: TEXTURE_LEVELS_EXTENSION };
  }

  async #decodeImages(): Promise<void> {
    const images = await this.#images;
    const decode = (index: number) => this.#textures.decode(index, this.#decode(images[index]));
    await Promise.all([...this.#listSources().keys()].map(decode));
  }

  /** Returns the pack that the screen can show and the device can have, if its images are larger than those that are shown. */
  findLarger(scale: ModelScale, { capabilities }: WebGLRenderer): TexturePack | undefined {
    const sources = [...this.#listSources().values()].map(({ source }) => source);
    const device = { sources, size: this.#size, capabilities, navigator };
    const pack = this.#options.select(scale, (larger) => fitsDevice(larger, device));
    return pack && pack.size > this.#size ? pack : undefined;
  }

  /**
   * Loads a pack and replaces the images, all in one frame.
   *
   * @throws {ViewerError} as `download`; Error: damaged; DOMException: aborted
   */
  async replace(pack: TexturePack, options: ReplaceOptions): Promise<void> {
    const { renderer, used, signal } = options;
    const images = readTexturePack(await this.#options.load(pack, signal));
    options.assertActive();
    const temporary: Texture[] = [];
    try {
      const sources = await this.#upload(images, temporary, options);
      for (const [texture, index] of this.#textures.indices) {
        // Frees the memory of the old image.
        texture.dispose();
        texture.source = sources.get(index) as Texture['source'];
        if (used.has(texture)) renderer.initTexture(texture);
      }
      this.#size = pack.size;
      this.#images = Promise.resolve(images);
      if (this.#isReleased) this.#closeImages();
    } finally {
      for (const texture of temporary) texture.dispose();
    }
  }

  /**
   * Frees the decoded images, which the GPU has now. The encoded ones are kept.
   *
   * @param used the textures that the materials of the model use, and ever will
   */
  release(renderer: WebGLRenderer, used: ReadonlySet<Texture>): void {
    for (const texture of used)
      if (this.#textures.indices.has(texture)) renderer.initTexture(texture);
    this.#isReleased = true;
    this.#closeImages();
  }

  /** Decodes the images again, for a new WebGL context. Undefined if they were not released. */
  restore(): Promise<void> | undefined {
    return this.#isReleased ? this.#restoreImages() : undefined;
  }

  async #restoreImages(): Promise<void> {
    const images = await this.#images;
    for (const [index, { source }] of this.#listSources()) {
      source.data = (await this.#decode(images[index])).source.data;
      source.dataReady = true;
    }
    for (const texture of this.#textures.indices.keys()) texture.needsUpdate = true;
    this.#isReleased = false;
  }

  /** Uploads the images, one part in each task, for the textures that are used. */
  async #upload(
    images: readonly Blob[],
    temporary: Texture[],
    { renderer, used, assertActive, yieldToEventLoop }: ReplaceOptions,
  ): Promise<Map<number, Texture['source']>> {
    const sources = new Map<number, Texture['source']>();
    try {
      for (const index of this.#listSources().keys()) {
        const { source } = await this.#decode(images[index]);
        sources.set(index, source);
        assertActive();
        const copies = [...this.#textures.indices]
          .filter(([texture, imageIndex]) => imageIndex === index && used.has(texture))
          .map(([texture]) => copyTexture(texture, source));
        temporary.push(...copies);
        await uploadImageParts(copies, { renderer, source, yieldToEventLoop, assertActive });
        // Not at the end: a decoded image of 4096 pixels takes 64 MiB.
        if (this.#isReleased) closeImage(source);
        await yieldToEventLoop();
        assertActive();
      }
    } catch (error) {
      for (const source of sources.values()) closeImage(source);
      throw error;
    }
    return sources;
  }

  async #decode(image: Blob | undefined): Promise<Texture> {
    if (image === undefined || this.#imageLoader === undefined)
      throw new Error('The pack has no such image.');
    return decodeImage(image, this.#imageLoader);
  }

  /** One texture for each image. */
  #listSources(): Map<number, Texture> {
    return new Map([...this.#textures.indices].map(([texture, index]) => [index, texture]));
  }

  #closeImages(): void {
    for (const { source } of this.#listSources().values()) closeImage(source);
  }
}
