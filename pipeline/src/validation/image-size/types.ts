/** What an image decodes to. `pixels` counts layers and faces. */
export type ImageSize = { width: number; height: number; pixelCount: number };

export function size2d(width: number, height: number): ImageSize {
  return { width, height, pixelCount: width * height };
}
