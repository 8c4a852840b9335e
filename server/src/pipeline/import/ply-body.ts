import { Problem } from '@cloche/contract/problem';
import { Words } from './words.ts';

const TYPES = {
  char: 'char',
  int8: 'char',
  uchar: 'uchar',
  uint8: 'uchar',
  short: 'short',
  int16: 'short',
  ushort: 'ushort',
  uint16: 'ushort',
  int: 'int',
  int32: 'int',
  uint: 'uint',
  uint32: 'uint',
  float: 'float',
  float32: 'float',
  double: 'double',
  float64: 'double',
} as const;
const SIZES = { char: 1, uchar: 1, short: 2, ushort: 2, int: 4, uint: 4, float: 4, double: 8 };

type Type = keyof typeof SIZES;
/** `length` is there for lists: the type of the number that says how long it is. */
export type Property = { name: string; type: Type; length?: Type };
export type Element = { name: string; count: number; properties: Property[] };
export type PlyHeader = {
  format: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  elements: Element[];
  textures: string[];
  /** Where the data begins. */
  end: number;
};

/** The rows of the elements, one after the other. */
export type Body = {
  /** Reads a row of single values; lists are stepped over. */
  readRow(properties: readonly Property[], row: Float64Array): void;
  /** Reads a row and gives that one list of it. */
  readLists(properties: readonly Property[], list: number): number[];
};

/** Reads what a PLY file says about its data. */
export function readPlyHeader(bytes: Buffer): PlyHeader {
  const words = new Words(bytes);
  const header: PlyHeader = { format: 'ascii', elements: [], textures: [], end: 0 };
  for (; !words.done; words.nextLine()) {
    const keyword = words.word();
    if (keyword === 'format') header.format = formatOf(words.word());
    else if (keyword === 'element') {
      header.elements.push({
        name: words.word(),
        count: countOf(words.number(), bytes),
        properties: [],
      });
    } else if (keyword === 'property') header.elements.at(-1)?.properties.push(propertyOf(words));
    else if (keyword === 'comment' && words.word() === 'TextureFile')
      header.textures.push(words.word());
    else if (keyword === 'end_header') {
      words.nextLine();
      return { ...header, end: words.at };
    }
  }
  throw bad('its header does not end');
}

/** Opens what follows the header. */
export function openBody(bytes: Buffer, { format, end, elements }: PlyHeader): Body {
  // The least a row takes, so that a count cannot ask for more memory than the file's own size.
  for (const { name, count, properties } of elements) {
    const least = format === 'ascii' ? 1 : leastSize(properties);
    if (count > 0 && count * Math.max(least, 1) > bytes.length - end + 1)
      throw bad(`it has fewer rows of ${name} than it says`);
  }
  return bodyOf(
    format === 'ascii'
      ? textReader(bytes, end)
      : binaryReader(bytes, end, format === 'binary_little_endian'),
  );
}

function leastSize(properties: readonly Property[]): number {
  return properties.reduce((sum, { type, length }) => sum + SIZES[length ?? type], 0);
}

type Read = (type: Type) => number;

function bodyOf(read: Read): Body {
  const readList = (length: Type, type: Type) => {
    const count = read(length);
    const list: number[] = [];
    for (let at = 0; at < count; at++) list.push(read(type));
    return list;
  };
  return {
    readRow(properties, row) {
      for (const [at, { type, length }] of properties.entries()) {
        if (length) readList(length, type);
        else row[at] = read(type);
      }
    },
    readLists(properties, list) {
      let found: number[] = [];
      for (const [at, { type, length }] of properties.entries()) {
        if (!length) read(type);
        else if (at === list) found = readList(length, type);
        else readList(length, type);
      }
      return found;
    },
  };
}

function textReader(bytes: Buffer, start: number): Read {
  const words = new Words(bytes, start);
  return () => {
    while (!words.more()) {
      if (words.done) throw bad('it ends too early');
      words.nextLine();
    }
    return words.number();
  };
}

function binaryReader(bytes: Buffer, start: number, little: boolean): Read {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  const readers: { [type in Type]: () => number } = {
    char: () => view.getInt8(at),
    uchar: () => view.getUint8(at),
    short: () => view.getInt16(at, little),
    ushort: () => view.getUint16(at, little),
    int: () => view.getInt32(at, little),
    uint: () => view.getUint32(at, little),
    float: () => view.getFloat32(at, little),
    double: () => view.getFloat64(at, little),
  };
  return (type) => {
    if (at + SIZES[type] > bytes.length) throw bad('it ends too early');
    const value = readers[type]();
    at += SIZES[type];
    return value;
  };
}

function formatOf(word: string): PlyHeader['format'] {
  if (word === 'ascii' || word === 'binary_little_endian' || word === 'binary_big_endian')
    return word;
  throw bad('its format is neither ascii nor binary');
}

function countOf(count: number, bytes: Buffer): number {
  if (Number.isInteger(count) && count >= 0 && count <= bytes.length) return count;
  throw bad('the count of an element is impossible');
}

function propertyOf(words: Words): Property {
  const first = words.word();
  if (first !== 'list') return { type: typeOf(first), name: words.word() };
  const length = typeOf(words.word());
  return { length, type: typeOf(words.word()), name: words.word() };
}

function typeOf(word: string): Type {
  if (Object.hasOwn(TYPES, word)) return TYPES[word as keyof typeof TYPES];
  throw bad('a property is of an unknown type');
}

function bad(what: string): Problem {
  return new Problem('design.unreadable', { detail: `The PLY cannot be read: ${what}.` });
}
