/** The image formats that glTF and browsers share, with their MIME types and file extensions. */
export const IMAGE_TYPES = {
  PNG: { mimeType: 'image/png', extension: 'png' },
  JPEG: { mimeType: 'image/jpeg', extension: 'jpg' },
  WebP: { mimeType: 'image/webp', extension: 'webp' },
  KTX2: { mimeType: 'image/ktx2', extension: 'ktx2' },
  AVIF: { mimeType: 'image/avif', extension: 'avif' },
} as const;
/** An image format. */
export type ImageKind = keyof typeof IMAGE_TYPES;

/** The decoded size of an image. `pixelCount` includes layers and faces. */
export type ImageSize = { width: number; height: number; pixelCount: number };

/** Creates the size of an image without layers and faces. */
export function toImageSize(width: number, height: number): ImageSize {
  return { width, height, pixelCount: width * height };
}
