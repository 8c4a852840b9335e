import { type Box2, Texture, Vector2, type WebGLRenderer } from 'three';

type UploadOptions = {
  renderer: WebGLRenderer;
  /** The image of the textures. */
  source: Texture['source'];
  /** Throws if the image must not be uploaded any more. */
  assertActive: () => void;
  /** Resolves in a later task. */
  yieldToEventLoop: () => Promise<void>;
};

/** Pixels that are uploaded in one task: 4 MiB, which takes a few milliseconds. */
const PIXELS_PER_PART = 1024 ** 2;

/**
 * Uploads an image for textures that nothing shows yet, in parts of some rows, one in each task: the upload of 4096 × 4096
 * pixels at once would delay frames.
 *
 * three.js allocates a texture without its image if the image is not ready. Images that are no bitmaps are uploaded at once, as
 * three.js does: a browser may have to decode them again for each part.
 */
export async function uploadImageParts(
  textures: readonly Texture[],
  { renderer, source, assertActive, yieldToEventLoop }: UploadOptions,
): Promise<void> {
  const image = source.data as unknown;
  if (!(image instanceof ImageBitmap) || image.width * image.height <= PIXELS_PER_PART) {
    for (const texture of textures) renderer.initTexture(texture);
    return;
  }
  const { width, height } = image;
  const parts = splitRows(width, height);
  // Not known to the renderer: it would copy from the texture on the GPU.
  const copied = new Texture(image);
  source.data = { width, height };
  source.dataReady = false;
  try {
    for (const texture of allocateTextures(textures, renderer)) {
      for (const [index, part] of parts.entries()) {
        texture.mipmapsAutoUpdate = index === parts.length - 1;
        renderer.copyTextureToTexture(copied, texture, part, part.min);
        await yieldToEventLoop();
        assertActive();
      }
    }
  } finally {
    source.data = image;
    source.dataReady = true;
  }
}

/** Returns one texture for each that the renderer has allocated: those with the same parameters share it. */
function allocateTextures(textures: readonly Texture[], renderer: WebGLRenderer): Texture[] {
  const allocated = new Map<unknown, Texture>();
  for (const texture of textures) {
    renderer.initTexture(texture);
    const { __webglTexture } = renderer.properties.get(texture) as { __webglTexture?: unknown };
    allocated.set(__webglTexture, texture);
  }
  return [...allocated.values()];
}

/** Not made with `new Box2()`: the viewer uses no other one, and visitors would load the class with the first script. */
function splitRows(width: number, height: number): Box2[] {
  const rows = Math.max(1, Math.floor(PIXELS_PER_PART / width));
  return Array.from({ length: Math.ceil(height / rows) }, (_, index) => {
    const top = index * rows;
    const bottom = Math.min(height, top + rows);
    return { min: new Vector2(0, top), max: new Vector2(width, bottom) } as Box2;
  });
}
