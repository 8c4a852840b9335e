import { posix } from 'node:path';
import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document, Texture } from '@gltf-transform/core';
import sharp from 'sharp';
import { VALIDATION_LIMITS } from '../validation/budgets.ts';
import { findImageSize } from '../validation/image-size/image-size.ts';
import { quoteUntrusted } from '../validation/quote-untrusted.ts';
import { resolveRelativePath } from '../validation/zip/model-archive.ts';
import type { ModelLocation } from './imported-model.ts';

const MIME_TYPES: { readonly [kind: string]: string } = {
  PNG: 'image/png',
  JPEG: 'image/jpeg',
};

/** The pictures that a model names, each read once, from the model's archive alone. */
export type TextureLoader = {
  /** The picture at a reference in the file at `from`; tells of it when there is none. */
  load(reference: string, from?: string): Promise<Texture | undefined>;
  /** A picture that came within the model. */
  embed(bytes: Buffer, name: string): Promise<Texture | undefined>;
};

/** Opens the pictures beside a model; without a place there are none. */
export function createTextureLoader(
  document: Document,
  warnings: ProcessingWarning[],
  place?: ModelLocation,
): TextureLoader {
  const known = new Map<string, Promise<Texture | undefined>>();
  const once = (key: string, make: () => Promise<Texture | undefined>) => {
    const made = known.get(key) ?? make();
    known.set(key, made);
    return made;
  };
  const embed = async (bytes: Buffer, name: string) => {
    const picture = await convertImage(bytes);
    if (picture)
      return document.createTexture(name).setImage(picture.bytes).setMimeType(picture.type);
    const message = `The texture ${quoteUntrusted(name)} is of a kind that cannot be read.`;
    warnings.push({ code: 'texture.unsupported', message });
    return undefined;
  };
  return {
    embed,
    load: (reference, from = place?.modelPath ?? '') =>
      once(`${from}\n${reference}`, async () => {
        const path = place && findTexturePath(place, reference, from);
        if (place && path !== undefined) {
          return once(path, async () => embed(await place.archive.read(path), getBaseName(path)));
        }
        const message = `The texture ${quoteUntrusted(reference)} did not come with the model.`;
        warnings.push({ code: 'texture.missing', message });
        return undefined;
      }),
  };
}

/**
 * Where a picture lies in the archive. Files often hold the path on their author's disk: then the
 * file of that name is taken, wherever in the archive it is.
 */
function findTexturePath(
  { archive }: ModelLocation,
  reference: string,
  from: string,
): string | undefined {
  return (
    archive.find(resolveRelativePath(from, reference)) ??
    archive.find(reference) ??
    archive.findByName(getBaseName(reference))
  );
}

function getBaseName(path: string): string {
  return posix.basename(path.replaceAll('\\', '/'));
}

/** A picture as glTF may hold it; other kinds are made a PNG, if they can be read at all. */
async function convertImage(
  bytes: Buffer,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string } | undefined> {
  const type = MIME_TYPES[findImageSize(bytes)?.kind ?? ''];
  if (type) return { bytes: Uint8Array.from(bytes), type };
  try {
    const limitInputPixels = VALIDATION_LIMITS.pixels;
    const png = await sharp(bytes, { limitInputPixels }).png().toBuffer();
    return { bytes: Uint8Array.from(png), type: 'image/png' };
  } catch {
    // Not a picture, or of a kind unknown here: the caller says so.
    return undefined;
  }
}
