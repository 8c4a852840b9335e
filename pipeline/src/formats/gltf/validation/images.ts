import { assertWithinLimit, type Budget } from '../../../validation/budgets.ts';
import {
  findImageSize,
  IMAGE_HEADER_BYTES,
  MAX_IMAGE_HEADER_BYTES,
} from '../../../validation/image-size/image-size.ts';
import type { ImageSize } from '../../../validation/image-size/image-types.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import { isDataUri } from '../data-uri.ts';
import type { AccessorScanner } from './accessor-scanner.ts';
import type { ByteRegion } from './block-reader.ts';
import { type GltfBufferView, parseDataUri } from './buffers.ts';
import type { GltfDocument } from './document.ts';
import { findExtension } from './extensions.ts';
import type { ExternalFiles } from './external-files.ts';
import { findTextureImage } from './materials.ts';

type ImageContext = {
  bufferViews: readonly GltfBufferView[];
  scanner: AccessorScanner;
  budget: Budget;
};

/** Checks all images, and requests the headers of those that textures use. */
export function validateImages(
  document: GltfDocument,
  context: ImageContext,
  externalFiles?: ExternalFiles,
): void {
  const gpuCopies = countGpuCopies(document);
  for (const image of document.images) {
    validateImage(image, gpuCopies.get(image) ?? 0, { ...context, externalFiles });
  }
}

function validateImage(
  image: JsonNode,
  copyCount: number,
  {
    bufferViews,
    scanner,
    budget,
    externalFiles,
  }: ImageContext & { externalFiles: ExternalFiles | undefined },
): void {
  image.find('mimeType')?.string();
  const uri = image.find('uri');
  const view = image.find('bufferView');
  if ((uri === undefined) === (view === undefined)) {
    image.fail('image', 'must have either a bufferView or a uri');
  }
  const region = view?.resolveIndex(bufferViews, 'buffer views').region;
  if (view !== undefined && region === undefined) {
    image.fail('image', 'is in a compressed buffer view');
  }
  const head = uri && readImageHead(uri, externalFiles);
  // Images that no texture uses are not decoded.
  if (copyCount === 0) return;
  const onSize = (size: ImageSize) => validateImageSize(image, size, copyCount, budget);
  if (region !== undefined) requestImageHeader(image, region, scanner, onSize);
  else if (head) onSize(parseImageSize(image, head) ?? failDamagedHeader(image));
}

/** Reads the first bytes of an image; undefined if its file is missing. */
function readImageHead(
  uri: JsonNode,
  externalFiles: ExternalFiles | undefined,
): Buffer | undefined {
  if (isDataUri(uri.string())) return parseDataUri(uri);
  return externalFiles?.find(uri.string())?.head;
}

function requestImageHeader(
  image: JsonNode,
  region: ByteRegion,
  scanner: AccessorScanner,
  onSize: (size: ImageSize) => void,
): void {
  scanner.peek(region, IMAGE_HEADER_BYTES, (head) => {
    const size = parseImageSize(image, head);
    if (size !== undefined) return onSize(size);
    if (region.length <= IMAGE_HEADER_BYTES) failDamagedHeader(image);
    scanner.peek(region, MAX_IMAGE_HEADER_BYTES, (longHead) =>
      onSize(parseImageSize(image, longHead) ?? failDamagedHeader(image)),
    );
  });
}

function parseImageSize(image: JsonNode, head: Buffer): ImageSize | undefined {
  const found = findImageSize(head);
  if (found === undefined) {
    image.fail('image-format', 'is not a PNG, JPEG, WebP, AVIF or KTX2 image');
  }
  return found.size;
}

function failDamagedHeader(image: JsonNode): never {
  image.fail('image-header', 'has a damaged header');
}

function validateImageSize(
  image: JsonNode,
  { width, height, pixelCount }: ImageSize,
  copyCount: number,
  budget: Budget,
) {
  if (width === 0 || height === 0) image.fail('image-header', 'has no pixels');
  assertWithinLimit('imageSide', Math.max(width, height), budget.limits, image);
  budget.add('pixels', pixelCount * copyCount, image);
}

/**
 * Counts how often each image is uploaded to the GPU: once for each combination of sampler settings,
 * and once for each further texture that the import makes of it. Images that no texture uses are left
 * out.
 */
function countGpuCopies(document: GltfDocument): Map<JsonNode, number> {
  const samplerKeys = new Map<JsonNode, Set<string>>();
  for (const texture of document.textures) {
    const sampler = texture.find('sampler')?.resolveIndex(document.samplers, 'samplers');
    const source = findTextureImage(texture, document);
    if (source === undefined) continue;
    const key = sampler === undefined ? '' : toSamplerKey(sampler);
    samplerKeys.set(source, (samplerKeys.get(source) ?? new Set()).add(key));
  }
  const conversions = countConversions(document);
  return new Map(
    [...samplerKeys].map(([image, set]) => [image, set.size + (conversions.get(image) ?? 1) - 1]),
  );
}

/** Counts the roughness textures that are made of each image: one for each glossiness factor. */
function countConversions(document: GltfDocument): Map<JsonNode, number> {
  const factors = new Map<JsonNode, Set<number>>();
  for (const material of document.materials) {
    const extension = findExtension(material, 'KHR_materials_pbrSpecularGlossiness');
    const index = extension?.find('specularGlossinessTexture')?.get('index');
    const texture = index?.resolveIndex(document.textures, 'textures');
    const image = texture && findTextureImage(texture, document);
    if (image === undefined) continue;
    const factor = extension?.find('glossinessFactor')?.number() ?? 1;
    factors.set(image, (factors.get(image) ?? new Set()).add(factor));
  }
  return new Map([...factors].map(([image, set]) => [image, set.size]));
}

function toSamplerKey(sampler: JsonNode): string {
  const filters = [9728, 9729];
  const wrapModes = [33071, 33648, 10497];
  return [
    sampler.find('magFilter')?.oneOf(...filters),
    sampler.find('minFilter')?.oneOf(...filters, 9984, 9985, 9986, 9987),
    sampler.find('wrapS')?.oneOf(...wrapModes) ?? 10497,
    sampler.find('wrapT')?.oneOf(...wrapModes) ?? 10497,
  ].join();
}
