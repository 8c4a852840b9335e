import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import {
  GLB_BUFFER,
  type GLTF,
  type JSONDocument,
  Logger,
  type Texture,
  type WebIO,
} from '@gltf-transform/core';
import type { ImportedModel, ModelLocation } from '../../mesh/imported-model.ts';
import { IMAGE_TYPES } from '../../validation/image-size/image-types.ts';
import { decodeDataUri, isDataUri } from './data-uri.ts';
import { createGltfIo } from './gltf-io.ts';
import { removeMissingTextures, useFallbackImages } from './missing-textures.ts';
import { getUriBasename, resolveUri } from './resolve-uri.ts';
import { convertUnsupportedExtensions } from './unsupported-extensions.ts';
import { collectGltfWarnings } from './warnings.ts';

type Resources = JSONDocument['resources'];

/** The length of the JSON chunk of a GLB, its data, and the type of the chunk with binary data. */
const [GLB_JSON_LENGTH_OFFSET, GLB_JSON_OFFSET, GLB_BIN_TYPE] = [12, 20, 0x004e4942];

/**
 * Imports a GLB. In an archive, it may have external files, such as textures, as a glTF has.
 *
 * @throws {Problem} design.unreadable: a buffer is missing
 */
export async function importGlb(bytes: Buffer, location?: ModelLocation): Promise<ImportedModel> {
  const jsonEnd = GLB_JSON_OFFSET + bytes.readUInt32LE(GLB_JSON_LENGTH_OFFSET);
  const json = parseJson(bytes.subarray(GLB_JSON_OFFSET, jsonEnd));
  const hasBin = bytes.length > jsonEnd && bytes.readUInt32LE(jsonEnd + 4) === GLB_BIN_TYPE;
  const bin = hasBin && bytes.subarray(jsonEnd + 8, jsonEnd + 8 + bytes.readUInt32LE(jsonEnd));
  return importJson(json, bin ? { [GLB_BUFFER]: Uint8Array.from(bin) } : {}, location);
}

/**
 * Imports a glTF. External files are read only from its archive; without an archive, all data must be
 * in `data:` URIs.
 *
 * @throws {Problem} design.unreadable: a buffer is missing
 */
export async function importGltf(bytes: Buffer, location?: ModelLocation): Promise<ImportedModel> {
  return importJson(parseJson(bytes), {}, location);
}

function parseJson(bytes: Buffer): GLTF.IGLTF {
  return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
}

async function importJson(
  json: GLTF.IGLTF,
  resources: Resources,
  location: ModelLocation | undefined,
): Promise<ImportedModel> {
  const io = await createSilentIo();
  const warnings = collectGltfWarnings(json);
  await loadBuffers(json, resources, location);
  const missingUris = await loadImages(json, resources, location);
  useFallbackImages(json, new Set(missingUris.keys()));
  const document = await io.readJSON({ json, resources });
  const textures = document.getRoot().listTextures();
  for (const texture of textures) texture.setURI('');
  // The library creates a texture for each image, in the same order.
  const missingTextures = new Map(
    [...missingUris].map(([image, uri]) => [textures[image] as Texture, uri]),
  );
  warnings.push(...removeMissingTextures(document, missingTextures));
  warnings.push(...(await convertUnsupportedExtensions(document)));
  return { document, warnings };
}

async function createSilentIo(): Promise<WebIO> {
  return (await createGltfIo()).setLogger(new Logger(Logger.Verbosity.SILENT));
}

/** Loads the buffers and replaces their URIs, as those could be any text. */
async function loadBuffers(
  json: GLTF.IGLTF,
  resources: Resources,
  location: ModelLocation | undefined,
): Promise<void> {
  for (const [index, buffer] of (json.buffers ?? []).entries()) {
    if (buffer.uri === undefined) continue;
    const bytes = await readUri(buffer.uri, location);
    if (bytes === undefined)
      throw new Problem('design.unreadable', {
        detail: `The glTF needs the file ${quoteUntrusted(buffer.uri)}, which was not uploaded with it.`,
      });
    buffer.uri = `buffer-${index}.bin`;
    resources[buffer.uri] = bytes;
  }
}

/**
 * Loads the images and replaces their URIs, as those could be any text.
 *
 * @returns the URIs of the images that are missing, by index
 */
async function loadImages(
  json: GLTF.IGLTF,
  resources: Resources,
  location: ModelLocation | undefined,
): Promise<ReadonlyMap<number, string>> {
  const missingUris = new Map<number, string>();
  for (const [index, image] of (json.images ?? []).entries()) {
    if (image.uri === undefined) continue;
    const bytes = await readUri(image.uri, location);
    const uri = `image-${index}.${getImageExtension(image)}`;
    if (bytes === undefined) missingUris.set(index, image.uri);
    if (!isDataUri(image.uri)) image.name ??= getUriBasename(image.uri);
    image.uri = uri;
    resources[uri] = bytes ?? new Uint8Array(0);
  }
  return missingUris;
}

async function readUri(
  uri: string,
  location: ModelLocation | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (isDataUri(uri)) {
    const bytes = decodeDataUri(uri);
    return bytes && Uint8Array.from(bytes);
  }
  if (location === undefined) return undefined;
  const { archive, modelPath } = location;
  const path = resolveUri(uri, modelPath, (entry) => archive.find(entry));
  // As for the validation, the model itself is none of its files.
  if (path === undefined || path === modelPath) return undefined;
  return Uint8Array.from(await archive.read(path));
}

/** Returns a file extension for an image: by its MIME type or, if that is unknown, by its name. */
function getImageExtension({ uri = '', mimeType }: GLTF.IImage): string {
  const declaredType = mimeType ?? /^data:(image\/\w+)/i.exec(uri)?.[1]?.toLowerCase();
  const type = Object.values(IMAGE_TYPES).find((each) => each.mimeType === declaredType);
  const extension = /\.(png|jpe?g|webp|ktx2|avif)$/i.exec(uri)?.[1]?.toLowerCase();
  return type?.extension ?? extension ?? IMAGE_TYPES.PNG.extension;
}
