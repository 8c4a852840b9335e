import { READ_BLOCK_BYTES } from '../../../validation/byte-reader.ts';
import type { ElementRange, GltfAccessor } from './accessor.ts';
import type { BlockReader, ByteRegion } from './block-reader.ts';
import { COMPONENT_BYTES, readComponent } from './element-types.ts';

/** The extent of an accessor's stored numbers, for each component, before dequantization. */
export type ComponentExtent = {
  readonly min: number[];
  readonly max: number[];
  /** The first element; undefined if it cannot be read. */
  firstElement: number[] | undefined;
  /** False if there is a NaN or an infinity. */
  isFinite: boolean;
};

type BytesVisitor = (bytes: Buffer) => void;
type PendingRead = { readonly region: ByteRegion; readonly start: number; read(): Promise<void> };

/**
 * Scans binary data. Scans are requested while the JSON is checked, and run afterwards in the order of
 * their offsets, so that one block in memory is enough.
 */
export class AccessorScanner {
  #pendingReads: PendingRead[] = [];
  readonly #extents = new Map<ByteRegion, Map<string, ComponentExtent>>();

  /** Requests a read of the first bytes of a region. */
  peek(region: ByteRegion, maxBytes: number, visit: BytesVisitor): void {
    const length = Math.min(maxBytes, region.length, READ_BLOCK_BYTES);
    this.#enqueue(region, 0, async () => visit(await region.reader.read(region.offset, length)));
  }

  /** Requests a scan for the extent of an accessor. After `run`, `findExtent` returns the extent. */
  requestExtent({ storage, sparse }: GltfAccessor): void {
    if (storage.kind === 'stored') this.#requestRange(storage.range);
    if (sparse !== undefined) this.#requestRange(sparse.values);
  }

  /** Requests a check that the indices of a sparse accessor increase and are in range. */
  requestSparseIndices({ sparse, count: elementCount, json }: GltfAccessor): void {
    if (sparse === undefined) return;
    const range = sparse.indices;
    let last = -1;
    this.#scanRange(range, (bytes) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let offset = 0; offset < bytes.length; offset += range.stride) {
        const index = readComponent(view, offset, range.componentType);
        if (index <= last)
          json.fail('sparse', 'has sparse indices that are not in increasing order');
        if (index >= elementCount)
          json.fail('sparse', `has the sparse index ${index}, but only ${elementCount} elements`);
        last = index;
      }
    });
  }

  /** Runs the requested scans, and those that they request. */
  async run(): Promise<void> {
    while (this.#pendingReads.length > 0) {
      const readsByReader = Map.groupBy(
        this.#pendingReads,
        ({ region }): BlockReader => region.reader,
      );
      this.#pendingReads = [];
      for (const reads of readsByReader.values()) {
        reads.sort((a, b) => a.start - b.start);
        for (const pendingRead of reads) await pendingRead.read();
      }
    }
  }

  /** Returns the scanned extent or, for compressed data, the declared bounds, if any. */
  findExtent(accessor: GltfAccessor): ComponentExtent | undefined {
    const { storage, sparse, componentCount } = accessor;
    if (storage.kind === 'compressed') return getDeclaredExtent(accessor);
    const zeros: number[] = new Array(componentCount).fill(0);
    const extent =
      storage.kind === 'stored'
        ? this.#getOrCreateExtent(storage.range)
        : { min: zeros, max: zeros, firstElement: zeros, isFinite: true };
    if (sparse === undefined) return extent;
    // Includes values that sparse values replace: the extent may be too large, but one pass is enough.
    const sparseExtent = this.#getOrCreateExtent(sparse.values);
    return {
      min: extent.min.map((min, index) => Math.min(min, sparseExtent.min[index] ?? min)),
      max: extent.max.map((max, index) => Math.max(max, sparseExtent.max[index] ?? max)),
      firstElement: undefined,
      isFinite: extent.isFinite && sparseExtent.isFinite,
    };
  }

  #requestRange(range: ElementRange): void {
    if (this.#extents.get(range.region)?.has(toRangeKey(range))) return;
    const extent = this.#getOrCreateExtent(range);
    this.#scanRange(range, (bytes) => extendExtent(extent, bytes, range));
  }

  #getOrCreateExtent(range: ElementRange): ComponentExtent {
    const extentsByKey = this.#extents.get(range.region) ?? new Map<string, ComponentExtent>();
    this.#extents.set(range.region, extentsByKey);
    const key = toRangeKey(range);
    const extent = extentsByKey.get(key) ?? {
      min: new Array(range.componentCount).fill(Number.POSITIVE_INFINITY),
      max: new Array(range.componentCount).fill(Number.NEGATIVE_INFINITY),
      firstElement: undefined,
      isFinite: true,
    };
    extentsByKey.set(key, extent);
    return extent;
  }

  #scanRange({ region, offset, stride, count, ...range }: ElementRange, visit: BytesVisitor): void {
    const size = range.componentCount * COMPONENT_BYTES[range.componentType];
    const blockElementCount = Math.floor(READ_BLOCK_BYTES / stride);
    this.#enqueue(region, offset, async () => {
      for (let index = 0; index < count; index += blockElementCount) {
        const length = (Math.min(blockElementCount, count - index) - 1) * stride + size;
        visit(await region.reader.read(region.offset + offset + index * stride, length));
      }
    });
  }

  #enqueue(region: ByteRegion, offset: number, read: () => Promise<void>): void {
    this.#pendingReads.push({ region, start: region.offset + offset, read });
  }
}

/** Returns the bounds that an accessor declares, if any. */
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

/** Extends one component at a time, which is fastest: the block stays in the CPU cache. */
function extendExtent(extent: ComponentExtent, bytes: Buffer, range: ElementRange): void {
  const { stride, componentCount, componentType } = range;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const componentBytes = COMPONENT_BYTES[componentType];
  extent.firstElement ??= Array.from({ length: componentCount }, (_, index) =>
    readComponent(view, index * componentBytes, componentType),
  );
  for (let component = 0; component < componentCount; component++) {
    let min = extent.min[component] ?? 0;
    let max = extent.max[component] ?? 0;
    let finiteCheck = 0;
    for (let offset = component * componentBytes; offset < bytes.length; offset += stride) {
      const value = readComponent(view, offset, componentType);
      if (value < min) min = value;
      if (value > max) max = value;
      // Stays 0 for finite numbers and becomes NaN otherwise.
      finiteCheck += value * 0;
    }
    extent.min[component] = min;
    extent.max[component] = max;
    if (finiteCheck !== 0) extent.isFinite = false;
  }
}
