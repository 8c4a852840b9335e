import type { Object3D, Texture } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { collectTextures } from '../scene/model-materials.ts';
import { decodeImage } from './image-memory.ts';

/** The encoded images inside a model file. With them, the decoded ones can be freed. */
export type EncodedImages = {
  images: ReadonlyMap<Texture['source'], Blob>;
  decode: (image: Blob) => Promise<Texture>;
};

/** The members of the JSON that describe images. */
export type ImageJson = {
  textures?: { source?: number; extensions?: Record<string, { source?: number }> }[];
  images?: { bufferView?: number; mimeType?: string; extensions?: object }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number }[];
};

const [JSON_LENGTH_OFFSET, JSON_OFFSET, CHUNK_HEADER_BYTES] = [12, 20, 8];

/** Finds the images that the textures of a model show, without those in texture packs. */
export function findEncodedImages(
  file: ArrayBuffer,
  root: Object3D,
  { json, associations, textureLoader }: GLTFParser,
): EncodedImages {
  const { textures = [], images: imageJson = [], bufferViews = [] } = json as ImageJson;
  const binOffset =
    JSON_OFFSET + new DataView(file).getUint32(JSON_LENGTH_OFFSET, true) + CHUNK_HEADER_BYTES;
  const images = new Map<Texture['source'], Blob>();
  for (const texture of collectTextures(root)) {
    const { source, extensions = {} } = textures[associations.get(texture)?.textures ?? -1] ?? {};
    // An extension that names another image has precedence.
    const index = Object.values(extensions).find((value) => value.source !== undefined)?.source;
    const image = imageJson[index ?? source ?? -1];
    const view = bufferViews[image?.bufferView ?? -1];
    if (!image || view?.buffer !== 0 || image.extensions || images.has(texture.source)) continue;
    const bytes = new Uint8Array(file, binOffset + (view.byteOffset ?? 0), view.byteLength);
    images.set(texture.source, new Blob([bytes], { type: image.mimeType ?? '' }));
  }
  return { images, decode: (image) => decodeImage(image, textureLoader) };
}
