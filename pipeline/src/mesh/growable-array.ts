/** An array of numbers that grows at its end. */
export class GrowableArray<Numbers extends Float32Array | Uint32Array | Uint16Array> {
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

  /** What was pushed, in an array of its own. */
  toTypedArray(): Numbers {
    return this.#array.slice(0, this.length) as Numbers;
  }

  #grow(): void {
    const Kind = this.#array.constructor as new (length: number) => Numbers;
    const larger = new Kind(Math.max(1024, 2 * this.#array.length));
    larger.set(this.#array);
    this.#array = larger;
  }
}

export const createGrowableFloats = () => new GrowableArray(new Float32Array(0));
export const createGrowableIndices = () => new GrowableArray(new Uint32Array(0));

/** Numbers rows of integers or of float bits by equality: the same row always gets the same number. */
export class VertexDeduplicator {
  readonly #width: number;
  readonly #rows: GrowableArray<Uint32Array>;
  #hashTable = new Int32Array(64).fill(-1);

  constructor(width: number) {
    this.#width = width;
    this.#rows = createGrowableIndices();
  }

  get size(): number {
    return this.#rows.length / this.#width;
  }

  /** The number of a row; a new one takes the next. */
  getOrAdd(row: Uint32Array): number {
    const mask = this.#hashTable.length - 1;
    let slot = this.#hash(row) & mask;
    for (
      let found = this.#hashTable[slot] as number;
      found >= 0;
      found = this.#hashTable[slot] as number
    ) {
      if (this.#equals(found, row)) return found;
      slot = (slot + 1) & mask;
    }
    const added = this.size;
    this.#hashTable[slot] = added;
    for (let at = 0; at < this.#width; at++) this.#rows.push(row[at] as number);
    if (this.size * 2 > this.#hashTable.length) this.#rehash();
    return added;
  }

  #equals(number: number, row: Uint32Array): boolean {
    for (let at = 0; at < this.#width; at++) {
      if (this.#rows.at(number * this.#width + at) !== row[at]) return false;
    }
    return true;
  }

  #hash(row: Uint32Array): number {
    let hash = 0;
    for (let at = 0; at < this.#width; at++) {
      hash = Math.imul(hash ^ (row[at] as number), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #rehash(): void {
    const table = new Int32Array(this.#hashTable.length * 2).fill(-1);
    const row = new Uint32Array(this.#width);
    for (let number = 0; number < this.size; number++) {
      for (let at = 0; at < this.#width; at++) row[at] = this.#rows.at(number * this.#width + at);
      let slot = this.#hash(row) & (table.length - 1);
      while ((table[slot] as number) >= 0) slot = (slot + 1) & (table.length - 1);
      table[slot] = number;
    }
    this.#hashTable = table;
  }
}
