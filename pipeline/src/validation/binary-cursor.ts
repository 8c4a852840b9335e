import { type ByteReader, READ_BLOCK_BYTES } from './byte-reader.ts';

/** How a number is stored. */
export type NumberType = {
  readonly bytes: number;
  readonly kind: 'signed' | 'unsigned' | 'float';
};

/** Reads a number of any type at an offset. */
export function readNumber(
  view: DataView,
  offset: number,
  { bytes, kind }: NumberType,
  littleEndian: boolean,
): number {
  if (kind === 'float') {
    return bytes === 8
      ? view.getFloat64(offset, littleEndian)
      : view.getFloat32(offset, littleEndian);
  }
  const isSigned = kind === 'signed';
  if (bytes === 1) return isSigned ? view.getInt8(offset) : view.getUint8(offset);
  if (bytes === 2) {
    return isSigned ? view.getInt16(offset, littleEndian) : view.getUint16(offset, littleEndian);
  }
  return isSigned ? view.getInt32(offset, littleEndian) : view.getUint32(offset, littleEndian);
}

/**
 * Reads binary records one after the other through a block in memory.
 *
 * Whoever reads asks `has` first and awaits `load` only if not: a promise for each number would
 * take nearly all of the time.
 */
export class BinaryCursor {
  readonly size: number;
  readonly #byteReader: ByteReader;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewOffset = 0;
  #offset: number;

  constructor(source: ByteReader, at = 0) {
    this.#byteReader = source;
    this.#offset = at;
    this.size = source.size;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Whether that many bytes can be read now. */
  has(bytes: number): boolean {
    const from = this.#offset - this.#viewOffset;
    return from >= 0 && from + bytes <= this.#view.byteLength;
  }

  /** Makes `has` true; gives false when the file ends before. */
  async load(bytes: number): Promise<boolean> {
    if (this.#offset + bytes > this.size) return false;
    const length = Math.min(this.size - this.#offset, Math.max(bytes, READ_BLOCK_BYTES));
    const block = await this.#byteReader.read(this.#offset, length);
    this.#view = new DataView(block.buffer, block.byteOffset, block.length);
    this.#viewOffset = this.#offset;
    return true;
  }

  skip(bytes: number): void {
    this.#offset += bytes;
  }

  uint8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  /** Exact up to 2^53; beyond it no file has a place. */
  uint64(): number {
    return Number(this.#view.getBigUint64(this.#advance(8), true));
  }

  int64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }

  number(type: NumberType, littleEndian: boolean): number {
    return readNumber(this.#view, this.#advance(type.bytes), type, littleEndian);
  }

  latin1(bytes: number): string {
    const from = this.#advance(bytes);
    return Buffer.from(this.#view.buffer, this.#view.byteOffset + from, bytes).toString('latin1');
  }

  #advance(bytes: number): number {
    const from = this.#offset - this.#viewOffset;
    this.#offset += bytes;
    return from;
  }
}
