import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { type ByteReader, READ_BLOCK_BYTES, readBlocks } from '../../validation/byte-reader.ts';
import type { PolygonCounter } from '../../validation/triangulation-cost.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

/** The record with the vertices of all polygons of a mesh. The last of each polygon is negative. */
export const POLYGON_RECORD = 'PolygonVertexIndex';

/** Where an array of 32-bit integers is in the file. */
export type StoredArray = {
  offset: number;
  length: number;
  isDeflated: boolean;
  /** As the file declares. */
  decompressedBytes: number;
};

/** Counts the corners of the polygons in the numbers that it gets. */
export class CornerCounter {
  readonly #polygons: PolygonCounter;
  #cornerCount = 0;

  constructor(polygons: PolygonCounter) {
    this.#polygons = polygons;
  }

  addCorner(isLast: boolean): void {
    this.#cornerCount++;
    if (!isLast) return;
    this.#polygons.add(this.#cornerCount);
    this.#cornerCount = 0;
  }
}

/**
 * Counts the polygons of an array in a binary FBX.
 *
 * @throws {Problem} design.unreadable: it cannot be decompressed; design.too-complex
 */
export async function countPolygons(
  file: ByteReader,
  array: StoredArray,
  polygons: PolygonCounter,
): Promise<void> {
  const corners = new CornerCounter(polygons);
  let position = 0;
  for await (const block of readArray(file, array)) {
    // The sign is the highest bit of the fourth byte.
    for (let offset = 3 - (position % 4); offset < block.length; offset += 4)
      corners.addCorner((block[offset] as number) >= 0x80);
    position += block.length;
    if (position > array.decompressedBytes) {
      throwUnreadable('count', 'The FBX file has more polygons in an array than it declares');
    }
  }
}

function readArray(file: ByteReader, array: StoredArray): AsyncIterable<Buffer> {
  const blocks = readBlocks(file, array);
  return array.isDeflated ? inflate(blocks) : blocks;
}

async function* inflate(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createInflate({ chunkSize: READ_BLOCK_BYTES });
  // An error of the pipeline also ends the loop below, which throws it.
  const pipelineEnd = pipeline(Readable.from(compressed), stream).catch(() => {});
  try {
    for await (const block of stream) yield block;
  } catch (cause) {
    if (!(cause instanceof Error && 'errno' in cause)) throw cause;
    throwUnreadable('deflate', 'The FBX file has polygons that cannot be decompressed');
  } finally {
    stream.destroy();
    await pipelineEnd;
  }
}
