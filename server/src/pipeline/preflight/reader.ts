import { Problem } from '@cloche/contract/problem';
import { BLOCK_BYTES, type Source } from './source.ts';

/** How much may be read in all, so that parts which overlap cannot make a small file long work. */
export class Meter {
  readonly #fileBytes: number;
  #left: number;

  constructor(fileBytes: number) {
    this.#fileBytes = fileBytes;
    // Honest files: interleaved vertices are read once for positions and once for joints.
    this.#left = 3 * fileBytes + 64 * BLOCK_BYTES;
  }

  spend(bytes: number): void {
    // A floor for each read: a million reads of one byte are no small work either.
    this.#left -= Math.max(bytes, 64);
    if (this.#left >= 0) return;
    throw new Problem('design.too-complex', {
      detail: `The parts of the file overlap so much that checking them would take more than three times its ${this.#fileBytes} bytes.`,
      reason: 'overlap',
    });
  }
}

/** Reads small ranges through one block kept in memory: cheap when asked in ascending order. */
export class Reader {
  readonly #source: Source;
  readonly #meter: Meter;
  #block: Buffer = Buffer.alloc(0);
  #blockAt = 0;

  constructor(source: Source, meter: Meter) {
    this.#source = source;
    this.#meter = meter;
  }

  /** @param length at most BLOCK_BYTES */
  async read(offset: number, length: number): Promise<Buffer> {
    this.#meter.spend(length);
    const from = offset - this.#blockAt;
    if (from >= 0 && from + length <= this.#block.length) {
      return this.#block.subarray(from, from + length);
    }
    this.#block = await this.#source.read(
      offset,
      Math.max(length, Math.min(BLOCK_BYTES, this.#source.size - offset)),
    );
    this.#blockAt = offset;
    return this.#block.subarray(0, length);
  }
}

/** A stretch of bytes somewhere: in the file, or in a data: URI. */
export type Region = { readonly reader: Reader; readonly offset: number; readonly length: number };
