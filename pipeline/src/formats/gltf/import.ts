import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { type GLTF, Logger } from '@gltf-transform/core';
import type { ImportedModel, ModelLocation } from '../../mesh/imported-model.ts';
import { resolveRelativePath } from '../../validation/zip/model-archive.ts';
import { createGltfIo } from './gltf-io.ts';
import {
  collectExtensionWarnings,
  convertUnsupportedExtensions,
} from './unsupported-extensions.ts';

/** Reads a GLB, which holds all it needs. */
export async function importGlb(bytes: Buffer): Promise<ImportedModel> {
  const io = (await createGltfIo()).setLogger(new Logger(Logger.Verbosity.SILENT));
  const { json, resources } = await io.binaryToJSON(bytes);
  const warnings = collectExtensionWarnings(json);
  const document = await io.readJSON({ json, resources });
  return { document, warnings: [...warnings, ...(await convertUnsupportedExtensions(document))] };
}

/**
 * Reads a glTF. What it names beside itself is looked for in its archive and nowhere else; in one
 * that came alone only data: URIs have data.
 */
export async function importGltf(bytes: Buffer, place?: ModelLocation): Promise<ImportedModel> {
  const io = (await createGltfIo()).setLogger(new Logger(Logger.Verbosity.SILENT));
  const json: GLTF.IGLTF = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  const warnings = collectExtensionWarnings(json);
  const resources: { [name: string]: Uint8Array<ArrayBuffer> } = {};
  const absent: string[] = [];
  for (const [at, buffer] of (json.buffers ?? []).entries()) {
    if (buffer.uri === undefined) continue;
    const found = await resolveUri(buffer.uri, place);
    if (!found)
      throw new Problem('design.unreadable', {
        detail: `The glTF needs the file ${quoteUntrusted(buffer.uri)}, which did not come with it.`,
      });
    buffer.uri = `buffer-${at}.bin`;
    resources[buffer.uri] = found;
  }
  for (const [at, image] of (json.images ?? []).entries()) {
    if (image.uri === undefined) continue;
    const found = await resolveUri(image.uri, place);
    // Names of our own: what the file calls its pictures could be called like anything.
    const uri = `image-${at}.${getImageExtension(image)}`;
    if (!found) {
      warnings.push({
        code: 'texture.missing',
        message: `The texture ${quoteUntrusted(image.uri)} did not come with the model.`,
      });
      absent.push(uri);
    }
    if (!image.uri.startsWith('data:')) image.name ??= decodeUri(image.uri).split('/').at(-1) ?? '';
    image.uri = uri;
    resources[uri] = found ?? new Uint8Array(0);
  }
  const document = await io.readJSON({ json, resources });
  for (const texture of document.getRoot().listTextures()) {
    if (absent.includes(texture.getURI())) texture.dispose();
    else texture.setURI('');
  }
  return { document, warnings: [...warnings, ...(await convertUnsupportedExtensions(document))] };
}

async function resolveUri(
  uri: string,
  place?: ModelLocation,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (uri.startsWith('data:')) return decodeDataUri(uri);
  // Anything with a scheme is somewhere else, and we read nothing from there.
  if (!place || /^[a-z][a-z0-9+.-]*:/i.test(uri)) return undefined;
  const path = place.archive.find(resolveRelativePath(place.modelPath, decodeUri(uri)));
  return path === undefined ? undefined : Uint8Array.from(await place.archive.read(path));
}

function decodeDataUri(uri: string): Uint8Array<ArrayBuffer> {
  const comma = uri.indexOf(',');
  const head = uri.slice(5, comma);
  const body = uri.slice(comma + 1);
  return Uint8Array.from(
    head.endsWith(';base64') ? Buffer.from(body, 'base64') : Buffer.from(decodeUri(body), 'latin1'),
  );
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: then the name was not encoded at all.
    return text;
  }
}

function getImageExtension({ uri = '', mimeType }: GLTF.IImage): string {
  const type = mimeType ?? /^data:image\/(\w+)/.exec(uri)?.[0].slice(5) ?? '';
  const known = {
    'image/png': 'png',
    'image/jpeg': 'jpg',
    'image/webp': 'webp',
    'image/ktx2': 'ktx2',
    'image/avif': 'avif',
  };
  if (Object.hasOwn(known, type)) return known[type as keyof typeof known];
  const extension = /\.(png|jpe?g|webp|ktx2|avif)$/i.exec(uri)?.[1];
  return extension?.toLowerCase() ?? 'png';
}
