/** The part of the state of a `WebGLRenderer` that is used here. */
export type TextureState = {
  pixelStorei: (name: GLenum, value: number) => void;
  texSubImage2D: (...parameters: unknown[]) => void;
};

/** 256 KiB. Parts of 1 MiB take as long as the whole image, and smaller ones than these no less time. */
const PIXELS_PER_PART = 256 ** 2;

/**
 * Uploads an image to the texture that is bound, in parts of some rows. For an image of 768 × 768 at once, Chromium allocates a buffer, and frees it
 * then: without a GPU, five of them took 91 ms at once, and 70 in parts.
 *
 * @param formats those of the pixels: format and type
 * @returns false, without a change, if it is small or no bitmap
 */
export function uploadRows(
  gl: WebGL2RenderingContext,
  state: TextureState,
  image: unknown,
  formats: readonly [GLenum, GLenum],
): boolean {
  if (!(image instanceof ImageBitmap)) return false;
  const { width, height } = image;
  if (width * height <= PIXELS_PER_PART) return false;
  const rows = Math.max(1, Math.floor(PIXELS_PER_PART / width));
  for (let top = 0; top < height; top += rows) {
    state.pixelStorei(gl.UNPACK_SKIP_ROWS, top);
    const size = [width, Math.min(rows, height - top)];
    state.texSubImage2D(gl.TEXTURE_2D, 0, 0, top, ...size, ...formats, image);
  }
  state.pixelStorei(gl.UNPACK_SKIP_ROWS, 0);
  return true;
}
