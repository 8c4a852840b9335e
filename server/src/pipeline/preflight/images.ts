import { decodeDataUri, type View } from './buffers.ts';
import type { Document } from './document.ts';
import { findImageSize } from './image-size.ts';
import { limit, type Tally } from './limits.ts';
import { findSource } from './materials.ts';
import type { Part } from './part.ts';
import type { ImageSize } from './picture.ts';
import type { Region } from './reader.ts';
import type { Scans } from './scans.ts';
import type { Siblings } from './siblings.ts';

/** Where nearly every header ends. */
const HEAD_BYTES = 64 * 1024;
/** JPEGs may have colour profiles and previews first. */
const LONG_HEAD_BYTES = 1024 * 1024;

type Store = { views: readonly View[]; scans: Scans; tally: Tally };

/** Checks all images, and wants to see the headers of those that textures show. */
export function checkImages(document: Document, store: Store, siblings?: Siblings): void {
  const copies = countCopies(document);
  for (const image of document.images) {
    const count = copies.get(image) ?? 0;
    const see = (size: ImageSize) => checkSize(image, size, count, store.tally);
    image.find('mimeType')?.text();
    const uri = image.find('uri');
    const view = image.find('bufferView');
    if ((uri === undefined) === (view === undefined)) {
      image.fail('image', 'must have either a bufferView or a data: URI');
    }
    if (uri !== undefined) {
      const sibling = siblings?.find(uri.text());
      const head = sibling === undefined ? decodeDataUri(uri) : sibling.head;
      if (count > 0) see(readSize(image, head) ?? lost(image));
      continue;
    }
    const { region } = view?.pick(store.views, 'buffer views') ?? {};
    if (region === undefined) image.fail('image', 'lies in a compressed buffer view');
    else if (count > 0) seeHeader(image, region, store.scans, see);
  }
}

function seeHeader(
  image: Part,
  region: Region,
  scans: Scans,
  see: (size: ImageSize) => void,
): void {
  scans.peek(region, HEAD_BYTES, (head) => {
    const size = readSize(image, head);
    if (size !== undefined) return see(size);
    if (region.length <= HEAD_BYTES) lost(image);
    scans.peek(region, LONG_HEAD_BYTES, (more) => see(readSize(image, more) ?? lost(image)));
  });
}

function readSize(image: Part, head: Buffer): ImageSize | undefined {
  const found = findImageSize(head);
  if (found === undefined) {
    image.fail('image-format', 'is not a PNG, JPEG, WebP, AVIF or KTX2 image');
  }
  return found.size;
}

function lost(image: Part): never {
  image.fail('image-header', 'has a damaged header');
}

function checkSize(image: Part, { width, height, pixels }: ImageSize, count: number, tally: Tally) {
  if (width === 0 || height === 0) image.fail('image-header', 'has no pixels');
  limit('imageSide', Math.max(width, height), tally.limits, image);
  tally.add('pixels', pixels * count, image);
}

/**
 * How often each image lies on the graphics card: once for each way it is sampled, and not at all
 * when no texture that the viewer reads shows it.
 */
function countCopies(document: Document): Map<Part, number> {
  const ways = new Map<Part, Set<string>>();
  for (const texture of document.textures) {
    const sampler = texture.find('sampler')?.pick(document.samplers, 'samplers');
    const source = findSource(texture, document);
    if (source === undefined) continue;
    const way = sampler === undefined ? '' : readSampling(sampler);
    ways.set(source, (ways.get(source) ?? new Set()).add(way));
  }
  return new Map([...ways].map(([image, set]) => [image, set.size]));
}

function readSampling(sampler: Part): string {
  const filter = [9728, 9729];
  const wrap = [33071, 33648, 10497];
  return [
    sampler.find('magFilter')?.choice(...filter),
    sampler.find('minFilter')?.choice(...filter, 9984, 9985, 9986, 9987),
    sampler.find('wrapS')?.choice(...wrap) ?? 10497,
    sampler.find('wrapT')?.choice(...wrap) ?? 10497,
  ].join();
}
