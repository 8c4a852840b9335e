const MAX_PIXEL_RATIO = 2;

/** Device pixels per CSS pixel of the picture. */
export function getPixelRatio(): number {
  return Math.min(devicePixelRatio, MAX_PIXEL_RATIO);
}
