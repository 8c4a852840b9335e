import { type ByteReader, READ_BLOCK_BYTES } from './byte-reader.ts';

/** The storage format of a number. */
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
 * Reads binary records sequentially through a block in memory.
 *
 * Callers check `isLoaded` and await `load` only if it is false: a promise for each number would
 * take most of the time.
 */
export class BinaryCursor {
  readonly size: number;
  readonly #byteReader: ByteReader;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewOffset = 0;
  #offset: number;

  constructor(byteReader: ByteReader, offset = 0) {
    this.#byteReader = byteReader;
    this.#offset = offset;
    this.size = byteReader.size;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Whether the block in memory contains the next `bytes` bytes. */
  isLoaded(bytes: number): boolean {
    const viewOffset = this.#offset - this.#viewOffset;
    return viewOffset >= 0 && viewOffset + bytes <= this.#view.byteLength;
  }

  /** Loads the next block, so that `isLoaded` is true. Returns false if the file is too short. */
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

  readUint8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  readUint32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  /** Reads a size or an offset. It is exact up to 2^53, which is larger than any file. */
  readUint64(): number {
    return Number(this.#view.getBigUint64(this.#advance(8), true));
  }

  readInt64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }

  readNumber(type: NumberType, littleEndian: boolean): number {
    return readNumber(this.#view, this.#advance(type.bytes), type, littleEndian);
  }

  readLatin1(bytes: number): string {
    const viewOffset = this.#advance(bytes);
    return Buffer.from(this.#view.buffer, this.#view.byteOffset + viewOffset, bytes).toString(
      'latin1',
    );
  }

  #advance(bytes: number): number {
    const viewOffset = this.#offset - this.#viewOffset;
    this.#offset += bytes;
    return viewOffset;
  }
}
