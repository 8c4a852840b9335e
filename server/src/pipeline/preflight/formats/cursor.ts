import { BLOCK_BYTES, type Source } from '../source.ts';

/** How a number is stored. */
export type NumberType = {
  readonly bytes: number;
  readonly kind: 'signed' | 'unsigned' | 'float';
};

/**
 * Reads binary records one after the other through a block in memory.
 *
 * Whoever reads asks `has` first and awaits `load` only if not: a promise for each number would
 * take nearly all of the time.
 */
export class Cursor {
  readonly size: number;
  readonly #source: Source;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewAt = 0;
  #at: number;

  constructor(source: Source, at = 0) {
    this.#source = source;
    this.#at = at;
    this.size = source.size;
  }

  get at(): number {
    return this.#at;
  }

  /** Whether that many bytes can be read now. */
  has(bytes: number): boolean {
    const from = this.#at - this.#viewAt;
    return from >= 0 && from + bytes <= this.#view.byteLength;
  }

  /** Makes `has` true; gives false when the file ends before. */
  async load(bytes: number): Promise<boolean> {
    if (this.#at + bytes > this.size) return false;
    const length = Math.min(this.size - this.#at, Math.max(bytes, BLOCK_BYTES));
    const block = await this.#source.read(this.#at, length);
    this.#view = new DataView(block.buffer, block.byteOffset, block.length);
    this.#viewAt = this.#at;
    return true;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  uint8(): number {
    return this.#view.getUint8(this.#forward(1));
  }

  uint32(): number {
    return this.#view.getUint32(this.#forward(4), true);
  }

  /** Exact up to 2^53; beyond it no file has a place. */
  uint64(): number {
    return Number(this.#view.getBigUint64(this.#forward(8), true));
  }

  int64(): bigint {
    return this.#view.getBigInt64(this.#forward(8), true);
  }

  number({ bytes, kind }: NumberType, isLittle: boolean): number {
    const at = this.#forward(bytes);
    const view = this.#view;
    if (kind === 'float')
      return bytes === 8 ? view.getFloat64(at, isLittle) : view.getFloat32(at, isLittle);
    const isSigned = kind === 'signed';
    if (bytes === 1) return isSigned ? view.getInt8(at) : view.getUint8(at);
    if (bytes === 2) return isSigned ? view.getInt16(at, isLittle) : view.getUint16(at, isLittle);
    return isSigned ? view.getInt32(at, isLittle) : view.getUint32(at, isLittle);
  }

  text(bytes: number): string {
    const from = this.#forward(bytes);
    return Buffer.from(this.#view.buffer, this.#view.byteOffset + from, bytes).toString('latin1');
  }

  #forward(bytes: number): number {
    const from = this.#at - this.#viewAt;
    this.#at += bytes;
    return from;
  }
}
