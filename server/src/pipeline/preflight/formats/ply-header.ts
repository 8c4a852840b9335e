import { damaged } from '../damaged.ts';
import { quote } from '../quote.ts';
import type { NumberType } from './cursor.ts';

export type PlyProperty = {
  readonly name: string;
  readonly type: NumberType;
  /** In a list, what its length is stored as. */
  readonly length?: NumberType;
};

export type PlyElement = {
  readonly name: string;
  readonly count: number;
  readonly properties: PlyProperty[];
};

export type PlyHeader = {
  readonly encoding: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  readonly elements: readonly PlyElement[];
  /** Where the data starts. */
  readonly bytes: number;
};

const ENCODINGS = ['ascii', 'binary_little_endian', 'binary_big_endian'] as const;
const MAX_ELEMENTS = 32;
const MAX_PROPERTIES = 256;

const TYPES: Readonly<Record<string, NumberType>> = {
  ...named(1, 'signed', 'char', 'int8'),
  ...named(1, 'unsigned', 'uchar', 'uint8'),
  ...named(2, 'signed', 'short', 'int16'),
  ...named(2, 'unsigned', 'ushort', 'uint16'),
  ...named(4, 'signed', 'int', 'int32'),
  ...named(4, 'unsigned', 'uint', 'uint32'),
  ...named(4, 'float', 'float', 'float32'),
  ...named(8, 'float', 'double', 'float64'),
};

function named(bytes: number, kind: NumberType['kind'], ...names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { bytes, kind }]));
}

/**
 * Reads the header of a PLY.
 *
 * @param head the file's start; a header that does not end within it is refused
 * @throws {Problem} design.unreadable
 */
export function readPlyHeader(head: Buffer): PlyHeader {
  const text = head.toString('latin1');
  const [end] = /(?<=[\r\n])end_header *(\r\n|\n|\r)/.exec(text) ?? [];
  if (end === undefined) damaged('header', 'The PLY has no "end_header" near its start');
  const bytes = text.indexOf(end, text.indexOf('end_header')) + end.length;

  let encoding: PlyHeader['encoding'] | undefined;
  const elements: PlyElement[] = [];
  for (const line of text.slice(0, bytes).split(/[\r\n]+/)) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === 'format') encoding = ENCODINGS.find((name) => name === rest[0]);
    else if (word === 'element') elements.push(readElement(rest, line));
    else if (word === 'property') readProperty(rest, line, elements.at(-1));
    if (elements.length > MAX_ELEMENTS)
      damaged('header', `The PLY has over ${MAX_ELEMENTS} elements`);
  }
  if (encoding === undefined)
    damaged('header', `The PLY has none of the formats ${ENCODINGS.join(', ')}`);
  return { encoding, elements, bytes };
}

function readElement([name = '', count = '']: string[], line: string): PlyElement {
  if (!/^\d{1,15}$/.test(count)) broken(line);
  return { name, count: Number(count), properties: [] };
}

function readProperty(words: string[], line: string, element: PlyElement | undefined): void {
  const isList = words[0] === 'list';
  const [first = '', second = '', third = ''] = isList ? words.slice(1) : ['', ...words];
  const type = typeOf(second);
  const length = isList ? typeOf(first) : undefined;
  if (element === undefined || type === undefined || third === '') broken(line);
  if (isList && (length === undefined || length.kind === 'float')) broken(line);
  element.properties.push({ name: third, type, ...(length && { length }) });
  if (element.properties.length > MAX_PROPERTIES) {
    damaged('header', `The PLY has an element of over ${MAX_PROPERTIES} properties`);
  }
}

function typeOf(name: string): NumberType | undefined {
  return Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
}

function broken(line: string): never {
  damaged('header', `The header of the PLY has a line nobody can read: ${quote(line)}`);
}
