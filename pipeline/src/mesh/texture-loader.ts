import { posix } from 'node:path';
import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { Document, Texture } from '@gltf-transform/core';
import sharp from 'sharp';
import { findImageSize } from '../validation/image-size/image-size.ts';
import { IMAGE_TYPES, type ImageKind } from '../validation/image-size/image-types.ts';
import { VALIDATION_LIMITS } from '../validation/limits.ts';
import { resolveRelativePath } from '../validation/zip/model-archive.ts';
import { missingTextureWarning } from './import-warnings.ts';
import type { ModelLocation } from './imported-model.ts';

/** The image formats that every glTF viewer supports. Other images are converted to PNG. */
const CORE_IMAGE_KINDS: readonly ImageKind[] = ['PNG', 'JPEG'];

/** Loads textures from the archive of a model, each only once. */
export type TextureLoader = {
  /**
   * Loads an image by its path relative to the file at `basePath`, by default the model.
   * Adds a warning and returns undefined if there is no such image.
   */
  load(reference: string, basePath?: string): Promise<Texture | undefined>;
  /** Creates a texture from an image inside the model file. */
  embed(bytes: Buffer, name: string): Promise<Texture | undefined>;
};

/** Creates a texture loader. Without a location, all external images are missing. */
export function createTextureLoader(
  document: Document,
  warnings: ProcessingWarning[],
  location?: ModelLocation,
): TextureLoader {
  const cache = new Map<string, Promise<Texture | undefined>>();
  const memoize = (key: string, load: () => Promise<Texture | undefined>) => {
    const texture = cache.get(key) ?? load();
    cache.set(key, texture);
    return texture;
  };
  const embed = async (bytes: Buffer, name: string) => {
    const image = await convertImage(bytes);
    if (image) return document.createTexture(name).setImage(image.bytes).setMimeType(image.type);
    const message = `The texture ${quoteUntrusted(name)} is not in a supported image format.`;
    warnings.push({ code: 'texture.unsupported', message });
    return undefined;
  };
  return {
    embed,
    load: (reference, basePath = location?.modelPath ?? '') =>
      memoize(`${basePath}\n${reference}`, async () => {
        const path = location && findTexturePath(location, reference, basePath);
        if (location && path !== undefined) {
          return memoize(path, async () =>
            embed(await location.archive.read(path), getFileName(path)),
          );
        }
        warnings.push(missingTextureWarning(reference));
        return undefined;
      }),
  };
}

/**
 * Finds the path of an image in the archive.
 *
 * Models often refer to a path on the author's disk. As a last resort, a file with the same name in
 * any folder of the archive is used.
 */
function findTexturePath(
  { archive }: ModelLocation,
  reference: string,
  basePath: string,
): string | undefined {
  return (
    archive.find(resolveRelativePath(basePath, reference)) ??
    archive.find(reference) ??
    archive.findByName(getFileName(reference))
  );
}

function getFileName(path: string): string {
  return posix.basename(path.replaceAll('\\', '/'));
}

/** Returns the image as PNG or JPEG, or undefined if sharp cannot read it. */
async function convertImage(
  bytes: Buffer,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string } | undefined> {
  const kind = findImageSize(bytes)?.kind;
  if (kind !== undefined && CORE_IMAGE_KINDS.includes(kind)) {
    return { bytes: Uint8Array.from(bytes), type: IMAGE_TYPES[kind].mimeType };
  }
  try {
    const limitInputPixels = VALIDATION_LIMITS.pixels;
    const png = await sharp(bytes, { limitInputPixels }).png().toBuffer();
    return { bytes: Uint8Array.from(png), type: IMAGE_TYPES.PNG.mimeType };
  } catch {
    // Not an image, or an unsupported format: the caller adds the warning.
    return undefined;
  }
}
