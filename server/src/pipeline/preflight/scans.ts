import type { Accessor, Range } from './accessor.ts';
import { COMPONENT_BYTES, component } from './element.ts';
import type { Reader, Region } from './reader.ts';
import { BLOCK_BYTES } from './source.ts';

/** What a scan finds in an accessor's stored numbers, for each component; not yet dequantized. */
export type Extent = {
  readonly min: number[];
  readonly max: number[];
  /** The first element; undefined where it cannot be read. */
  first: number[] | undefined;
  /** False when there is a NaN or an infinity. */
  finite: boolean;
};

type Visit = (bytes: Buffer) => void;
type Job = { readonly region: Region; readonly start: number; read(): Promise<void> };

/**
 * What must be looked at in the binary data: asked for while the JSON is checked, then read in the
 * order it lies in the file, whatever order it was asked in, so that one block in memory is enough.
 */
export class Scans {
  #jobs: Job[] = [];
  readonly #extents = new Map<Region, Map<string, Extent>>();

  /** Wants the first bytes of a region. */
  peek(region: Region, maxBytes: number, visit: Visit): void {
    const length = Math.min(maxBytes, region.length, BLOCK_BYTES);
    this.#add(region, 0, async () => visit(await region.reader.read(region.offset, length)));
  }

  /** Wants the extent of an accessor; `extentOf` has it after `run`. */
  ask({ base, sparse }: Accessor): void {
    if (base.kind === 'values') this.#askRange(base.range);
    if (sparse !== undefined) this.#askRange(sparse.values);
  }

  /** Wants the indices of a sparse accessor to rise and to stay within it. */
  askSparse({ sparse, count: below, part }: Accessor): void {
    if (sparse === undefined) return;
    const range = sparse.indices;
    let last = -1;
    this.#visitAll(range, (bytes) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = 0; at < bytes.length; at += range.stride) {
        const index = component(view, at, range.componentType);
        if (index <= last) part.fail('sparse', 'has indices that do not rise');
        if (index >= below) part.fail('sparse', `has the index ${index}, but ${below} elements`);
        last = index;
      }
    });
  }

  async run(): Promise<void> {
    while (this.#jobs.length > 0) {
      const byReader = Map.groupBy(this.#jobs, ({ region }): Reader => region.reader);
      this.#jobs = [];
      for (const jobs of byReader.values()) {
        jobs.sort((a, b) => a.start - b.start);
        for (const job of jobs) await job.read();
      }
    }
  }

  /** What was found; the declared bounds for compressed data; undefined when it has none. */
  extentOf(accessor: Accessor): Extent | undefined {
    const { base, sparse, components } = accessor;
    if (base.kind === 'packed') return declaredExtent(accessor);
    const zeros: number[] = new Array(components).fill(0);
    const extent =
      base.kind === 'values'
        ? this.#found(base.range)
        : { min: zeros, max: zeros, first: zeros, finite: true };
    if (sparse === undefined) return extent;
    // What sparse values stand in for is counted too: a little too wide rather than two passes.
    const patch = this.#found(sparse.values);
    return {
      min: extent.min.map((min, at) => Math.min(min, patch.min[at] ?? min)),
      max: extent.max.map((max, at) => Math.max(max, patch.max[at] ?? max)),
      first: undefined,
      finite: extent.finite && patch.finite,
    };
  }

  #askRange(range: Range): void {
    const known = this.#extents.get(range.region)?.has(keyOf(range));
    if (known) return;
    const extent = this.#found(range);
    this.#visitAll(range, (bytes) => widen(extent, bytes, range));
  }

  #found(range: Range): Extent {
    const ofRegion = this.#extents.get(range.region) ?? new Map<string, Extent>();
    this.#extents.set(range.region, ofRegion);
    const key = keyOf(range);
    const extent = ofRegion.get(key) ?? {
      min: new Array(range.components).fill(Number.POSITIVE_INFINITY),
      max: new Array(range.components).fill(Number.NEGATIVE_INFINITY),
      first: undefined,
      finite: true,
    };
    ofRegion.set(key, extent);
    return extent;
  }

  #visitAll({ region, offset, stride, count, ...range }: Range, visit: Visit): void {
    const size = range.components * COMPONENT_BYTES[range.componentType];
    const each = Math.floor(BLOCK_BYTES / stride);
    this.#add(region, offset, async () => {
      for (let at = 0; at < count; at += each) {
        const length = (Math.min(each, count - at) - 1) * stride + size;
        visit(await region.reader.read(region.offset + offset + at * stride, length));
      }
    });
  }

  #add(region: Region, offset: number, read: () => Promise<void>): void {
    this.#jobs.push({ region, start: region.offset + offset, read });
  }
}

/** The bounds an accessor states for itself. */
export function declaredExtent({ min, max }: Accessor): Extent | undefined {
  if (min === undefined || max === undefined) return undefined;
  return { min: [...min], max: [...max], first: undefined, finite: true };
}

function keyOf({ offset, stride, count, components, componentType }: Range): string {
  return `${offset} ${stride} ${count} ${components} ${componentType}`;
}

/** One component at a time: the block is in the cache, and the loop has nothing but numbers in it. */
function widen(extent: Extent, bytes: Buffer, range: Range): void {
  const { stride, components, componentType } = range;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const unit = COMPONENT_BYTES[componentType];
  extent.first ??= Array.from({ length: components }, (_, at) =>
    component(view, at * unit, componentType),
  );
  for (let which = 0; which < components; which++) {
    let min = extent.min[which] ?? 0;
    let max = extent.max[which] ?? 0;
    let poison = 0;
    for (let at = which * unit; at < bytes.length; at += stride) {
      const value = component(view, at, componentType);
      if (value < min) min = value;
      if (value > max) max = value;
      // Stays 0 with finite numbers, becomes NaN with any other.
      poison += value * 0;
    }
    extent.min[which] = min;
    extent.max[which] = max;
    if (poison !== 0) extent.finite = false;
  }
}
