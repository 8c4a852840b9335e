/** The level whose alpha is checked: one transparent texel of an image of 16 × 16 or more is still visible in it. */
const ALPHA_LEVEL = 4;

/**
 * Returns the levels of an image after the first one; undefined if WebGL must generate them. A canvas multiplies colors with their alpha, so
 * images with transparent parts are left to WebGL.
 *
 * For renderers without a GPU: 5 to 8 ms for 1024 × 1024. SwiftShader takes 9 to 19 ms, and about 50 for sRGB textures, because it calculates
 * powers for each texel. Of color textures, a canvas averages the encoded values and not the light, so details smaller than a pixel can be a
 * little darker; of normal maps and other data, it makes what WebGL makes. Images that are uploaded in several tasks have the mipmaps of WebGL.
 */
export function createMipmaps(image: unknown): OffscreenCanvas[] | undefined {
  if (!(image instanceof ImageBitmap)) return undefined;
  const levels: OffscreenCanvas[] = [];
  let { width, height }: { width: number; height: number } = image;
  let larger: ImageBitmap | OffscreenCanvas = image;
  while (width > 1 || height > 1) {
    width = Math.max(1, width >> 1);
    height = Math.max(1, height >> 1);
    const level = new OffscreenCanvas(width, height);
    const context = level.getContext('2d', { willReadFrequently: true });
    if (context === null) return undefined;
    context.drawImage(larger, 0, 0, width, height);
    levels.push(level);
    const isChecked =
      levels.length === ALPHA_LEVEL || (levels.length < ALPHA_LEVEL && width * height === 1);
    if (isChecked && !isOpaque(context.getImageData(0, 0, width, height))) {
      // Frees their memory now.
      for (const canvas of levels) canvas.width = 0;
      return undefined;
    }
    larger = level;
  }
  return levels;
}

function isOpaque({ data }: ImageData): boolean {
  return data.every((value, index) => index % 4 !== 3 || value === 255);
}
