import { Problem } from '@cloche/contract/problem';
import { Tokenizer } from '../../validation/tokenizer.ts';

const TYPE_ALIASES = {
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
const TYPE_BYTES = { char: 1, uchar: 1, short: 2, ushort: 2, int: 4, uint: 4, float: 4, double: 8 };

type PlyType = keyof typeof TYPE_BYTES;
/** `length` is there for lists: the type of the number that says how long it is. */
export type PlyBodyProperty = { name: string; type: PlyType; lengthType?: PlyType };
export type PlyBodyElement = { name: string; count: number; properties: PlyBodyProperty[] };
export type PlyBodyHeader = {
  encoding: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  elements: PlyBodyElement[];
  textures: string[];
  /** Where the data begins. */
  dataOffset: number;
};

/** The rows of the elements, one after the other. */
export type PlyRowReader = {
  /** Reads a row of single values; lists are stepped over. */
  readRow(properties: readonly PlyBodyProperty[], row: Float64Array): void;
  /** Reads a row and gives that one list of it. */
  readList(properties: readonly PlyBodyProperty[], list: number): number[];
};

/** Reads what a PLY file says about its data. */
export function readPlyBodyHeader(bytes: Buffer): PlyBodyHeader {
  const words = new Tokenizer(bytes);
  const header: PlyBodyHeader = { encoding: 'ascii', elements: [], textures: [], dataOffset: 0 };
  for (; !words.isAtEnd; words.skipLine()) {
    const keyword = words.readToken();
    if (keyword === 'format') header.encoding = parseEncoding(words.readToken());
    else if (keyword === 'element') {
      header.elements.push({
        name: words.readToken(),
        count: parseCount(words.readNumber(), bytes),
        properties: [],
      });
    } else if (keyword === 'property')
      header.elements.at(-1)?.properties.push(parseProperty(words));
    else if (keyword === 'comment' && words.readToken() === 'TextureFile')
      header.textures.push(words.readToken());
    else if (keyword === 'end_header') {
      words.skipLine();
      return { ...header, dataOffset: words.offset };
    }
  }
  throw plyError('its header does not end');
}

/** Opens what follows the header. */
export function createRowReader(
  bytes: Buffer,
  { encoding, dataOffset, elements }: PlyBodyHeader,
): PlyRowReader {
  // The least a row takes, so that a count cannot ask for more memory than the file's own size.
  for (const { name, count, properties } of elements) {
    const least = encoding === 'ascii' ? 1 : getMinimumRowBytes(properties);
    if (count > 0 && count * Math.max(least, 1) > bytes.length - dataOffset + 1)
      throw plyError(`it has fewer rows of ${name} than it says`);
  }
  return toRowReader(
    encoding === 'ascii'
      ? createAsciiReader(bytes, dataOffset)
      : createBinaryReader(bytes, dataOffset, encoding === 'binary_little_endian'),
  );
}

function getMinimumRowBytes(properties: readonly PlyBodyProperty[]): number {
  return properties.reduce((sum, { type, lengthType }) => sum + TYPE_BYTES[lengthType ?? type], 0);
}

type ReadNumber = (type: PlyType) => number;

function toRowReader(read: ReadNumber): PlyRowReader {
  const readList = (length: PlyType, type: PlyType) => {
    const count = read(length);
    const list: number[] = [];
    for (let at = 0; at < count; at++) list.push(read(type));
    return list;
  };
  return {
    readRow(properties, row) {
      for (const [at, { type, lengthType }] of properties.entries()) {
        if (lengthType) readList(lengthType, type);
        else row[at] = read(type);
      }
    },
    readList(properties, list) {
      let found: number[] = [];
      for (const [at, { type, lengthType }] of properties.entries()) {
        if (!lengthType) read(type);
        else if (at === list) found = readList(lengthType, type);
        else readList(lengthType, type);
      }
      return found;
    },
  };
}

function createAsciiReader(bytes: Buffer, start: number): ReadNumber {
  const words = new Tokenizer(bytes, start);
  return () => {
    while (!words.hasTokenOnLine()) {
      if (words.isAtEnd) throw plyError('it ends too early');
      words.skipLine();
    }
    return words.readNumber();
  };
}

function createBinaryReader(bytes: Buffer, start: number, little: boolean): ReadNumber {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  const readers: { [type in PlyType]: () => number } = {
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
    if (at + TYPE_BYTES[type] > bytes.length) throw plyError('it ends too early');
    const value = readers[type]();
    at += TYPE_BYTES[type];
    return value;
  };
}

function parseEncoding(word: string): PlyBodyHeader['encoding'] {
  if (word === 'ascii' || word === 'binary_little_endian' || word === 'binary_big_endian')
    return word;
  throw plyError('its format is neither ascii nor binary');
}

function parseCount(count: number, bytes: Buffer): number {
  if (Number.isInteger(count) && count >= 0 && count <= bytes.length) return count;
  throw plyError('the count of an element is impossible');
}

function parseProperty(words: Tokenizer): PlyBodyProperty {
  const first = words.readToken();
  if (first !== 'list') return { type: parseType(first), name: words.readToken() };
  const lengthType = parseType(words.readToken());
  return { lengthType, type: parseType(words.readToken()), name: words.readToken() };
}

function parseType(word: string): PlyType {
  if (Object.hasOwn(TYPE_ALIASES, word)) return TYPE_ALIASES[word as keyof typeof TYPE_ALIASES];
  throw plyError('a property is of an unknown type');
}

function plyError(what: string): Problem {
  return new Problem('design.unreadable', { detail: `The PLY cannot be read: ${what}.` });
}
