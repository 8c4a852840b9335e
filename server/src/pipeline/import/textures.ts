import { posix } from 'node:path';
import type { Document, Texture } from '@gltf-transform/core';
import sharp from 'sharp';
import { findImageSize } from '../preflight/image-size.ts';
import { LIMITS } from '../preflight/limits.ts';
import { quote } from '../preflight/quote.ts';
import type { Warning } from '../report.ts';
import { relativeTo } from './archive.ts';
import type { Place } from './imported.ts';

const TYPES: { readonly [kind: string]: string } = {
  PNG: 'image/png',
  JPEG: 'image/jpeg',
};

/** The pictures that a model names, each read once, from the model's archive alone. */
export type Textures = {
  /** The picture at a reference in the file at `from`; tells of it when there is none. */
  find(reference: string, from?: string): Promise<Texture | undefined>;
  /** A picture that came within the model. */
  embed(bytes: Buffer, name: string): Promise<Texture | undefined>;
};

/** Opens the pictures beside a model; without a place there are none. */
export function openTextures(document: Document, warnings: Warning[], place?: Place): Textures {
  const known = new Map<string, Promise<Texture | undefined>>();
  const once = (key: string, make: () => Promise<Texture | undefined>) => {
    const made = known.get(key) ?? make();
    known.set(key, made);
    return made;
  };
  const embed = async (bytes: Buffer, name: string) => {
    const picture = await readPicture(bytes);
    if (picture)
      return document.createTexture(name).setImage(picture.bytes).setMimeType(picture.type);
    const message = `The texture ${quote(name)} is of a kind that cannot be read.`;
    warnings.push({ code: 'texture.unsupported', message });
    return undefined;
  };
  return {
    embed,
    find: (reference, from = place?.main ?? '') =>
      once(`${from}\n${reference}`, async () => {
        const path = place && locate(place, reference, from);
        if (place && path !== undefined) {
          return once(path, async () => embed(await place.archive.read(path), baseName(path)));
        }
        const message = `The texture ${quote(reference)} did not come with the model.`;
        warnings.push({ code: 'texture.missing', message });
        return undefined;
      }),
  };
}

/**
 * Where a picture lies in the archive. Files often hold the path on their author's disk: then the
 * file of that name is taken, wherever in the archive it is.
 */
function locate({ archive }: Place, reference: string, from: string): string | undefined {
  return (
    archive.find(relativeTo(from, reference)) ??
    archive.find(reference) ??
    archive.findByName(baseName(reference))
  );
}

function baseName(path: string): string {
  return posix.basename(path.replaceAll('\\', '/'));
}

/** A picture as glTF may hold it; other kinds are made a PNG, if they can be read at all. */
async function readPicture(
  bytes: Buffer,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string } | undefined> {
  const type = TYPES[findImageSize(bytes)?.kind ?? ''];
  if (type) return { bytes: Uint8Array.from(bytes), type };
  try {
    const limitInputPixels = LIMITS.pixels;
    const png = await sharp(bytes, { limitInputPixels }).png().toBuffer();
    return { bytes: Uint8Array.from(png), type: 'image/png' };
  } catch {
    // Not a picture, or of a kind unknown here: the caller says so.
    return undefined;
  }
}
