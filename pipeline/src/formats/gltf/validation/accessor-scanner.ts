import { READ_BLOCK_BYTES } from '../../../validation/byte-reader.ts';
import type { ElementRange, GltfAccessor } from './accessor.ts';
import type { BlockReader, ByteRegion } from './block-reader.ts';
import { COMPONENT_BYTES, readComponent } from './element-types.ts';

/** What a scan finds in an accessor's stored numbers, for each component; not yet dequantized. */
export type ComponentExtent = {
  readonly min: number[];
  readonly max: number[];
  /** The first element; undefined where it cannot be read. */
  firstElement: number[] | undefined;
  /** False when there is a NaN or an infinity. */
  isFinite: boolean;
};

type BytesVisitor = (bytes: Buffer) => void;
type PendingRead = { readonly region: ByteRegion; readonly start: number; read(): Promise<void> };

/**
 * What must be looked at in the binary data: asked for while the JSON is checked, then read in the
 * order it lies in the file, whatever order it was asked in, so that one block in memory is enough.
 */
export class AccessorScanner {
  #pendingReads: PendingRead[] = [];
  readonly #extents = new Map<ByteRegion, Map<string, ComponentExtent>>();

  /** Wants the first bytes of a region. */
  peek(region: ByteRegion, maxBytes: number, visit: BytesVisitor): void {
    const length = Math.min(maxBytes, region.length, READ_BLOCK_BYTES);
    this.#enqueue(region, 0, async () => visit(await region.reader.read(region.offset, length)));
  }

  /** Wants the extent of an accessor; `extentOf` has it after `run`. */
  request({ storage, sparse }: GltfAccessor): void {
    if (storage.kind === 'stored') this.#requestRange(storage.range);
    if (sparse !== undefined) this.#requestRange(sparse.values);
  }

  /** Wants the indices of a sparse accessor to rise and to stay within it. */
  requestSparseIndices({ sparse, count: below, json }: GltfAccessor): void {
    if (sparse === undefined) return;
    const range = sparse.indices;
    let last = -1;
    this.#scanRange(range, (bytes) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = 0; at < bytes.length; at += range.stride) {
        const index = readComponent(view, at, range.componentType);
        if (index <= last) json.fail('sparse', 'has indices that do not rise');
        if (index >= below) json.fail('sparse', `has the index ${index}, but ${below} elements`);
        last = index;
      }
    });
  }

  async run(): Promise<void> {
    while (this.#pendingReads.length > 0) {
      const byReader = Map.groupBy(this.#pendingReads, ({ region }): BlockReader => region.reader);
      this.#pendingReads = [];
      for (const jobs of byReader.values()) {
        jobs.sort((a, b) => a.start - b.start);
        for (const job of jobs) await job.read();
      }
    }
  }

  /** What was found; the declared bounds for compressed data; undefined when it has none. */
  findExtent(accessor: GltfAccessor): ComponentExtent | undefined {
    const { storage, sparse, componentCount } = accessor;
    if (storage.kind === 'compressed') return getDeclaredExtent(accessor);
    const zeros: number[] = new Array(componentCount).fill(0);
    const extent =
      storage.kind === 'stored'
        ? this.#getOrCreateExtent(storage.range)
        : { min: zeros, max: zeros, firstElement: zeros, isFinite: true };
    if (sparse === undefined) return extent;
    // What sparse values stand in for is counted too: a little too wide rather than two passes.
    const patch = this.#getOrCreateExtent(sparse.values);
    return {
      min: extent.min.map((min, at) => Math.min(min, patch.min[at] ?? min)),
      max: extent.max.map((max, at) => Math.max(max, patch.max[at] ?? max)),
      firstElement: undefined,
      isFinite: extent.isFinite && patch.isFinite,
    };
  }

  #requestRange(range: ElementRange): void {
    const known = this.#extents.get(range.region)?.has(toRangeKey(range));
    if (known) return;
    const extent = this.#getOrCreateExtent(range);
    this.#scanRange(range, (bytes) => extendExtent(extent, bytes, range));
  }

  #getOrCreateExtent(range: ElementRange): ComponentExtent {
    const ofRegion = this.#extents.get(range.region) ?? new Map<string, ComponentExtent>();
    this.#extents.set(range.region, ofRegion);
    const key = toRangeKey(range);
    const extent = ofRegion.get(key) ?? {
      min: new Array(range.componentCount).fill(Number.POSITIVE_INFINITY),
      max: new Array(range.componentCount).fill(Number.NEGATIVE_INFINITY),
      firstElement: undefined,
      isFinite: true,
    };
    ofRegion.set(key, extent);
    return extent;
  }

  #scanRange({ region, offset, stride, count, ...range }: ElementRange, visit: BytesVisitor): void {
    const size = range.componentCount * COMPONENT_BYTES[range.componentType];
    const each = Math.floor(READ_BLOCK_BYTES / stride);
    this.#enqueue(region, offset, async () => {
      for (let at = 0; at < count; at += each) {
        const length = (Math.min(each, count - at) - 1) * stride + size;
        visit(await region.reader.read(region.offset + offset + at * stride, length));
      }
    });
  }

  #enqueue(region: ByteRegion, offset: number, read: () => Promise<void>): void {
    this.#pendingReads.push({ region, start: region.offset + offset, read });
  }
}

/** The bounds an accessor states for itself. */
export function getDeclaredExtent({ min, max }: GltfAccessor): ComponentExtent | undefined {
  if (min === undefined || max === undefined) return undefined;
  return { min: [...min], max: [...max], firstElement: undefined, isFinite: true };
}

function toRangeKey({
  offset,
  stride,
  count,
  componentCount,
  componentType,
}: ElementRange): string {
  return `${offset} ${stride} ${count} ${componentCount} ${componentType}`;
}

/** One component at a time: the block is in the cache, and the loop has nothing but numbers in it. */
function extendExtent(extent: ComponentExtent, bytes: Buffer, range: ElementRange): void {
  const { stride, componentCount, componentType } = range;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const unit = COMPONENT_BYTES[componentType];
  extent.firstElement ??= Array.from({ length: componentCount }, (_, at) =>
    readComponent(view, at * unit, componentType),
  );
  for (let which = 0; which < componentCount; which++) {
    let min = extent.min[which] ?? 0;
    let max = extent.max[which] ?? 0;
    let poison = 0;
    for (let at = which * unit; at < bytes.length; at += stride) {
      const value = readComponent(view, at, componentType);
      if (value < min) min = value;
      if (value > max) max = value;
      // Stays 0 with finite numbers, becomes NaN with any other.
      poison += value * 0;
    }
    extent.min[which] = min;
    extent.max[which] = max;
    if (poison !== 0) extent.isFinite = false;
  }
}
