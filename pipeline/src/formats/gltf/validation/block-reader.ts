import { Problem } from '@cloche/contract/problem';
import { type ByteReader, READ_BLOCK_BYTES } from '../../../validation/byte-reader.ts';

/** How much may be read in all, so that parts which overlap cannot make a small file long work. */
export class ReadBudget {
  readonly #fileBytes: number;
  #remainingBytes: number;

  constructor(fileBytes: number) {
    this.#fileBytes = fileBytes;
    // Honest files: interleaved vertices are read once for positions and once for joints.
    this.#remainingBytes = 3 * fileBytes + 64 * READ_BLOCK_BYTES;
  }

  consume(bytes: number): void {
    // A floor for each read: a million reads of one byte are no small work either.
    this.#remainingBytes -= Math.max(bytes, 64);
    if (this.#remainingBytes >= 0) return;
    throw new Problem('design.too-complex', {
      detail: `The parts of the file overlap so much that checking them would take more than three times its ${this.#fileBytes} bytes.`,
      reason: 'overlap',
    });
  }
}

/** Reads small ranges through one block kept in memory: cheap when asked in ascending order. */
export class BlockReader {
  readonly #byteReader: ByteReader;
  readonly #budget: ReadBudget;
  #block: Buffer = Buffer.alloc(0);
  #blockOffset = 0;

  constructor(source: ByteReader, meter: ReadBudget) {
    this.#byteReader = source;
    this.#budget = meter;
  }

  /** @param length at most BLOCK_BYTES */
  async read(offset: number, length: number): Promise<Buffer> {
    this.#budget.consume(length);
    const from = offset - this.#blockOffset;
    if (from >= 0 && from + length <= this.#block.length) {
      return this.#block.subarray(from, from + length);
    }
    this.#block = await this.#byteReader.read(
      offset,
      Math.max(length, Math.min(READ_BLOCK_BYTES, this.#byteReader.size - offset)),
    );
    this.#blockOffset = offset;
    return this.#block.subarray(0, length);
  }
}

/** A stretch of bytes somewhere: in the file, or in a data: URI. */
export type ByteRegion = {
  readonly reader: BlockReader;
  readonly offset: number;
  readonly length: number;
};
