/** What an image decodes to. `pixels` counts layers and faces. */
export type ImageSize = { width: number; height: number; pixels: number };

export function flat(width: number, height: number): ImageSize {
  return { width, height, pixels: width * height };
}
