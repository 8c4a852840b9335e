import type { NumberType } from '../../validation/binary-cursor.ts';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

export type PlyProperty = {
  readonly name: string;
  readonly type: NumberType;
  /** In a list, what its length is stored as. */
  readonly lengthType?: NumberType;
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
  readonly dataOffset: number;
};

const ENCODINGS = ['ascii', 'binary_little_endian', 'binary_big_endian'] as const;
const MAX_ELEMENTS = 32;
const MAX_PROPERTIES = 256;

const NUMBER_TYPES: Readonly<Record<string, NumberType>> = {
  ...toNumberTypes(1, 'signed', 'char', 'int8'),
  ...toNumberTypes(1, 'unsigned', 'uchar', 'uint8'),
  ...toNumberTypes(2, 'signed', 'short', 'int16'),
  ...toNumberTypes(2, 'unsigned', 'ushort', 'uint16'),
  ...toNumberTypes(4, 'signed', 'int', 'int32'),
  ...toNumberTypes(4, 'unsigned', 'uint', 'uint32'),
  ...toNumberTypes(4, 'float', 'float', 'float32'),
  ...toNumberTypes(8, 'float', 'double', 'float64'),
};

function toNumberTypes(bytes: number, kind: NumberType['kind'], ...names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { bytes, kind }]));
}

/**
 * Reads the header of a PLY.
 *
 * @param head the file's start; a header that does not end within it is refused
 * @throws {Problem} design.unreadable
 */
export function parsePlyHeader(head: Buffer): PlyHeader {
  const text = head.toString('latin1');
  const [end] = /(?<=[\r\n])end_header *(\r\n|\n|\r)/.exec(text) ?? [];
  if (end === undefined) throwUnreadable('header', 'The PLY has no "end_header" near its start');
  const dataOffset = text.indexOf(end, text.indexOf('end_header')) + end.length;

  let encoding: PlyHeader['encoding'] | undefined;
  const elements: PlyElement[] = [];
  for (const line of text.slice(0, dataOffset).split(/[\r\n]+/)) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === 'format') encoding = ENCODINGS.find((name) => name === rest[0]);
    else if (word === 'element') elements.push(parseElement(rest, line));
    else if (word === 'property') parseProperty(rest, line, elements.at(-1));
    if (elements.length > MAX_ELEMENTS)
      throwUnreadable('header', `The PLY has over ${MAX_ELEMENTS} elements`);
  }
  if (encoding === undefined)
    throwUnreadable('header', `The PLY has none of the formats ${ENCODINGS.join(', ')}`);
  return { encoding, elements, dataOffset };
}

function parseElement([name = '', count = '']: string[], line: string): PlyElement {
  if (!/^\d{1,15}$/.test(count)) throwBrokenLine(line);
  return { name, count: Number(count), properties: [] };
}

function parseProperty(words: string[], line: string, element: PlyElement | undefined): void {
  const isList = words[0] === 'list';
  const [first = '', second = '', third = ''] = isList ? words.slice(1) : ['', ...words];
  const type = findNumberType(second);
  const lengthType = isList ? findNumberType(first) : undefined;
  if (element === undefined || type === undefined || third === '') throwBrokenLine(line);
  if (isList && (lengthType === undefined || lengthType.kind === 'float')) throwBrokenLine(line);
  element.properties.push({ name: third, type, ...(lengthType && { lengthType }) });
  if (element.properties.length > MAX_PROPERTIES) {
    throwUnreadable('header', `The PLY has an element of over ${MAX_PROPERTIES} properties`);
  }
}

function findNumberType(name: string): NumberType | undefined {
  return Object.hasOwn(NUMBER_TYPES, name) ? NUMBER_TYPES[name] : undefined;
}

function throwBrokenLine(line: string): never {
  throwUnreadable(
    'header',
    `The header of the PLY has a line nobody can read: ${quoteUntrusted(line)}`,
  );
}
