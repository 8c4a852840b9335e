import { assertWithinLimit, type Budget } from '../../../validation/budgets.ts';
import {
  findImageSize,
  IMAGE_HEADER_BYTES,
  MAX_IMAGE_HEADER_BYTES,
} from '../../../validation/image-size/image-size.ts';
import type { ImageSize } from '../../../validation/image-size/types.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { AccessorScanner } from './accessor-scanner.ts';
import type { ByteRegion } from './block-reader.ts';
import { type GltfBufferView, parseDataUri } from './buffers.ts';
import type { GltfDocument } from './document.ts';
import type { ExternalFiles } from './external-files.ts';
import { findTextureImage } from './materials.ts';

type ImageContext = {
  bufferViews: readonly GltfBufferView[];
  scanner: AccessorScanner;
  budget: Budget;
};

/** Checks all images, and wants to see the headers of those that textures show. */
export function validateImages(
  document: GltfDocument,
  store: ImageContext,
  siblings?: ExternalFiles,
): void {
  const copies = countGpuCopies(document);
  for (const image of document.images) {
    const count = copies.get(image) ?? 0;
    const see = (size: ImageSize) => validateImageSize(image, size, count, store.budget);
    image.find('mimeType')?.string();
    const uri = image.find('uri');
    const view = image.find('bufferView');
    if ((uri === undefined) === (view === undefined)) {
      image.fail('image', 'must have either a bufferView or a data: URI');
    }
    if (uri !== undefined) {
      const sibling = siblings?.find(uri.string());
      const head = sibling === undefined ? parseDataUri(uri) : sibling.head;
      if (count > 0) see(parseImageSize(image, head) ?? failDamagedHeader(image));
      continue;
    }
    const { region } = view?.resolveIndex(store.bufferViews, 'buffer views') ?? {};
    if (region === undefined) image.fail('image', 'lies in a compressed buffer view');
    else if (count > 0) requestImageHeader(image, region, store.scanner, see);
  }
}

function requestImageHeader(
  image: JsonNode,
  region: ByteRegion,
  scans: AccessorScanner,
  see: (size: ImageSize) => void,
): void {
  scans.peek(region, IMAGE_HEADER_BYTES, (head) => {
    const size = parseImageSize(image, head);
    if (size !== undefined) return see(size);
    if (region.length <= IMAGE_HEADER_BYTES) failDamagedHeader(image);
    scans.peek(region, MAX_IMAGE_HEADER_BYTES, (more) =>
      see(parseImageSize(image, more) ?? failDamagedHeader(image)),
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
  count: number,
  tally: Budget,
) {
  if (width === 0 || height === 0) image.fail('image-header', 'has no pixels');
  assertWithinLimit('imageSide', Math.max(width, height), tally.limits, image);
  tally.add('pixels', pixelCount * count, image);
}

/**
 * How often each image lies on the graphics card: once for each way it is sampled, and not at all
 * when no texture that the viewer reads shows it.
 */
function countGpuCopies(document: GltfDocument): Map<JsonNode, number> {
  const ways = new Map<JsonNode, Set<string>>();
  for (const texture of document.textures) {
    const sampler = texture.find('sampler')?.resolveIndex(document.samplers, 'samplers');
    const source = findTextureImage(texture, document);
    if (source === undefined) continue;
    const way = sampler === undefined ? '' : toSamplerKey(sampler);
    ways.set(source, (ways.get(source) ?? new Set()).add(way));
  }
  return new Map([...ways].map(([image, set]) => [image, set.size]));
}

function toSamplerKey(sampler: JsonNode): string {
  const filter = [9728, 9729];
  const wrap = [33071, 33648, 10497];
  return [
    sampler.find('magFilter')?.oneOf(...filter),
    sampler.find('minFilter')?.oneOf(...filter, 9984, 9985, 9986, 9987),
    sampler.find('wrapS')?.oneOf(...wrap) ?? 10497,
    sampler.find('wrapT')?.oneOf(...wrap) ?? 10497,
  ].join();
}
