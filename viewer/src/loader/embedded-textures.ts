import type { GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import type { ImageJson } from './encoded-images.ts';
import { decodeImage } from './image-memory.ts';
import { type GltfParserWithCache, PendingTextures } from './pending-textures.ts';

/** The textures whose images are inside of a model file. */
export class EmbeddedTextures {
  readonly #textures = new PendingTextures();
  readonly #decoding: Promise<void>[] = [];
  #isParsed = false;

  /** Creates the plugin for `GLTFLoader.register`. Until `finish` is called, it does not wait for images. */
  createPlugin(parser: GLTFParser): GLTFLoaderPlugin {
    const loadImageSource = parser.loadImageSource.bind(parser);
    // Also called by the extensions for other kinds of images. GLTFLoader makes a copy of the texture in its cache.
    parser.loadImageSource = (index, loader) => {
      const isCompressed = 'isKTX2Loader' in loader;
      if (!this.#isParsed && !isCompressed) this.#addTexture(parser as GltfParserWithCache, index);
      return loadImageSource(index, loader);
    };
    return { name: 'CLOCHE_embedded_textures' };
  }

  /**
   * Resolves when all textures have their images, or none if they are damaged. Textures that only a variant uses are loaded
   * later, with their images.
   */
  async finish(): Promise<void> {
    this.#isParsed = true;
    await Promise.all(this.#decoding);
  }

  #addTexture(parser: GltfParserWithCache, index: number): void {
    const { images = [] } = parser.json as ImageJson;
    const { bufferView, mimeType = '' } = images[index] ?? {};
    if (bufferView === undefined || parser.sourceCache[index] !== undefined) return;
    parser.sourceCache[index] = Promise.resolve(this.#textures.add(index));
    const decode = async () => {
      const bytes: ArrayBuffer = await parser.getDependency('bufferView', bufferView);
      return decodeImage(new Blob([bytes], { type: mimeType }), parser.textureLoader);
    };
    this.#decoding.push(this.#textures.decode(index, decode()));
  }
}
