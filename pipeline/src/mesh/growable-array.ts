type NumericArray = Float32Array | Uint32Array | Uint16Array;

/** A typed array that grows when values are pushed. */
export class GrowableArray<Numbers extends NumericArray> {
  length = 0;
  #array: Numbers;

  constructor(empty: Numbers) {
    this.#array = empty;
  }

  push(value: number): void {
    if (this.length === this.#array.length) this.#grow();
    this.#array[this.length++] = value;
  }

  push3(x: number, y: number, z: number): void {
    this.push(x);
    this.push(y);
    this.push(z);
  }

  at(index: number): number {
    return this.#array[index] as number;
  }

  /** Copies the values into a typed array of exactly that length. */
  toTypedArray(): Numbers {
    return this.#array.slice(0, this.length) as Numbers;
  }

  #grow(): void {
    const TypedArray = this.#array.constructor as new (length: number) => Numbers;
    const larger = new TypedArray(Math.max(1024, 2 * this.#array.length));
    larger.set(this.#array);
    this.#array = larger;
  }
}

/** Creates an empty array of 32-bit floats. */
export const createGrowableFloats = () => new GrowableArray(new Float32Array(0));

/** Creates an empty array of 32-bit unsigned integers. */
export const createGrowableIndices = () => new GrowableArray(new Uint32Array(0));

/**
 * Assigns consecutive indices to different rows of 32-bit integers, or of the bits of floats.
 *
 * Equal rows get the same index. Implemented as a hash table with linear probing. Each column has a
 * random factor: otherwise a file could contain rows that all have the same hash.
 */
export class VertexDeduplicator {
  readonly #width: number;
  readonly #factors: Uint32Array;
  readonly #rows: GrowableArray<Uint32Array>;
  /** Row indices by hash; -1 is an empty slot. The length is a power of two. */
  #hashTable: Int32Array;

  /** @param expectedRows the most rows that will be added, if known: the table then never grows */
  constructor(width: number, expectedRows = 0) {
    this.#width = width;
    this.#hashTable = new Int32Array(
      Math.max(64, 2 ** Math.ceil(Math.log2(2 * expectedRows + 1))),
    ).fill(-1);
    // Odd, so that different values have different products.
    this.#factors = crypto.getRandomValues(new Uint32Array(width)).map((factor) => factor | 1);
    this.#rows = createGrowableIndices();
  }

  /** How many rows were compared so far. */
  comparisonCount = 0;

  get size(): number {
    return this.#rows.length / this.#width;
  }

  /** Returns the index of an equal row, or adds the row and returns the next index. */
  getOrAdd(row: Uint32Array): number {
    const mask = this.#hashTable.length - 1;
    let slot = this.#hash(row) & mask;
    for (
      let rowIndex = this.#hashTable[slot] as number;
      rowIndex >= 0;
      rowIndex = this.#hashTable[slot] as number
    ) {
      if (this.#equals(rowIndex, row)) return rowIndex;
      slot = (slot + 1) & mask;
    }
    const added = this.size;
    this.#hashTable[slot] = added;
    for (let column = 0; column < this.#width; column++) this.#rows.push(row[column] as number);
    if (this.size * 2 > this.#hashTable.length) this.#rehash();
    return added;
  }

  #equals(rowIndex: number, row: Uint32Array): boolean {
    this.comparisonCount++;
    for (let column = 0; column < this.#width; column++) {
      if (this.#rows.at(rowIndex * this.#width + column) !== row[column]) return false;
    }
    return true;
  }

  #hash(row: Uint32Array): number {
    let hash = 0;
    for (let column = 0; column < this.#width; column++) {
      const product = Math.imul(row[column] as number, this.#factors[column] as number);
      hash = Math.imul(hash ^ product, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #rehash(): void {
    const table = new Int32Array(this.#hashTable.length * 2).fill(-1);
    const mask = table.length - 1;
    const row = new Uint32Array(this.#width);
    for (let rowIndex = 0; rowIndex < this.size; rowIndex++) {
      for (let column = 0; column < this.#width; column++) {
        row[column] = this.#rows.at(rowIndex * this.#width + column);
      }
      let slot = this.#hash(row) & mask;
      while ((table[slot] as number) >= 0) slot = (slot + 1) & mask;
      table[slot] = rowIndex;
    }
    this.#hashTable = table;
  }
}
