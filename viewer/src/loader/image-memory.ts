import { Texture, type TextureLoader } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/**
 * Decodes an image as the loader of a GLTFParser does in this browser. Its ImageBitmapLoader would fetch a URL of the blob first, through
 * two other processes of the browser.
 */
export async function decodeImage(
  image: Blob,
  loader: GLTFParser['textureLoader'],
): Promise<Texture> {
  if (!('isImageBitmapLoader' in loader)) return load(image, loader);
  const options = { ...loader.options, colorSpaceConversion: 'none' } as const;
  const texture = new Texture(await createImageBitmap(image, options));
  texture.needsUpdate = true;
  return texture;
}

async function load(image: Blob, loader: TextureLoader): Promise<Texture> {
  const url = URL.createObjectURL(image);
  try {
    return await loader.loadAsync(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Frees a decoded image, which the GPU has now. */
export function closeImage(source: Texture['source']): void {
  const { data } = source as { data: unknown };
  if (!(data instanceof ImageBitmap)) return;
  const { width, height } = data;
  data.close();
  // After the loss of the context, three.js then allocates the texture but uploads nothing.
  source.data = { width, height };
  source.dataReady = false;
}
