import { Texture } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/** Decodes an image with the loader of a GLTFParser, as GLTFLoader does in this browser. */
export async function decodeImage(
  image: Blob,
  loader: GLTFParser['textureLoader'],
): Promise<Texture> {
  const url = URL.createObjectURL(image);
  try {
    const decoded = await loader.loadAsync(url);
    if (decoded instanceof Texture) return decoded;
    const texture = new Texture(decoded);
    texture.needsUpdate = true;
    return texture;
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
