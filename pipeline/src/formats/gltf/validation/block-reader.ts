import { Problem } from '@cloche/contract/problem';
import { type ByteReader, READ_BLOCK_BYTES } from '../../../validation/byte-reader.ts';

/** Limits the bytes that are read in total, because overlapping ranges are read several times. */
export class ReadBudget {
  readonly #fileBytes: number;
  #remainingBytes: number;

  constructor(fileBytes: number) {
    this.#fileBytes = fileBytes;
    // In valid files, interleaved vertices are read once for positions and once for joints.
    this.#remainingBytes = 3 * fileBytes + 64 * READ_BLOCK_BYTES;
  }

  consume(bytes: number): void {
    // A read counts as at least 64 bytes, because a million reads of one byte also take long.
    this.#remainingBytes -= Math.max(bytes, 64);
    if (this.#remainingBytes >= 0) return;
    throw new Problem('design.too-complex', {
      detail: `The accessors of the file overlap so much that checking them reads more than three times its ${this.#fileBytes} bytes.`,
      reason: 'overlap',
    });
  }
}

/** Reads small ranges through one block in memory. Efficient for reads in ascending order. */
export class BlockReader {
  readonly #byteReader: ByteReader;
  readonly #budget: ReadBudget;
  #block: Buffer = Buffer.alloc(0);
  #blockOffset = 0;

  constructor(byteReader: ByteReader, budget: ReadBudget) {
    this.#byteReader = byteReader;
    this.#budget = budget;
  }

  /**
   * @param length at most READ_BLOCK_BYTES
   * @throws {Problem} design.too-complex: the read budget is used up
   */
  async read(offset: number, length: number): Promise<Buffer> {
    this.#budget.consume(length);
    const blockOffset = offset - this.#blockOffset;
    if (blockOffset >= 0 && blockOffset + length <= this.#block.length) {
      return this.#block.subarray(blockOffset, blockOffset + length);
    }
    this.#block = await this.#byteReader.read(
      offset,
      Math.max(length, Math.min(READ_BLOCK_BYTES, this.#byteReader.size - offset)),
    );
    this.#blockOffset = offset;
    return this.#block.subarray(0, length);
  }
}

/** A range of bytes in the file, in an external file or in a data: URI. */
export type ByteRegion = {
  readonly reader: BlockReader;
  readonly offset: number;
  readonly length: number;
};
