import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { NumberType } from '../../validation/binary-cursor.ts';
import { formatNumber } from '../../validation/budgets.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

/** A property of an element: a single number, or a list. */
export type PlyProperty = {
  readonly name: string;
  readonly type: NumberType;
  /** Only for lists: the type of the number that precedes the list and specifies its length. */
  readonly lengthType?: NumberType;
};

/** An element, such as `vertex` or `face`, and the number of its rows. */
export type PlyElement = {
  readonly name: string;
  readonly count: number;
  readonly properties: PlyProperty[];
};

/** The header of a PLY: how its data is encoded, and the elements in their order. */
export type PlyHeader = {
  readonly encoding: (typeof ENCODINGS)[number];
  readonly elements: readonly PlyElement[];
  /** The file names of textures, from comments that MeshLab and others write. */
  readonly textures: readonly string[];
  /** The offset of the data in the file. */
  readonly dataOffset: number;
};

/** A header must end within this many bytes. */
export const MAX_PLY_HEADER_BYTES = 64 * 1024;

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
 * Parses the header of a PLY, for validation, import and warnings.
 *
 * @param head the first bytes of the file: MAX_PLY_HEADER_BYTES or more, or all
 * @throws {Problem} design.unreadable
 */
export function parsePlyHeader(head: Buffer): PlyHeader {
  const { lines, dataOffset } = splitHeader(head.toString('latin1', 0, MAX_PLY_HEADER_BYTES));
  let encoding: PlyHeader['encoding'] | undefined;
  const elements: PlyElement[] = [];
  const textures: string[] = [];
  for (const line of lines) {
    const [keyword, ...words] = line.split(/\s+/);
    if (keyword === 'format') encoding = ENCODINGS.find((name) => name === words[0]);
    else if (keyword === 'element') elements.push(parseElement(words, line));
    else if (keyword === 'property') parseProperty(words, line, elements.at(-1));
    else if (keyword === 'comment' && words[0] === 'TextureFile') {
      textures.push(words.slice(1).join(' '));
    }
    if (elements.length > MAX_ELEMENTS) {
      throwUnreadable('header', `The PLY has more than ${MAX_ELEMENTS} kinds of elements`);
    }
  }
  if (encoding === undefined) {
    throwUnreadable('header', `The format of the PLY must be one of ${ENCODINGS.join(', ')}`);
  }
  return { encoding, elements, textures, dataOffset };
}

/** Refuses a file that is too small for the rows that its header declares. */
export function assertRowsFit(
  { encoding, elements, dataOffset }: PlyHeader,
  fileBytes: number,
): void {
  const dataBytes = fileBytes - dataOffset;
  for (const element of elements) {
    // In ASCII a number is at least a digit and a space.
    const rowBytes =
      encoding === 'ascii' ? 2 * element.properties.length : getMinimumRowBytes(element);
    // The space after the last number may be missing.
    if (element.count === 0 || (rowBytes > 0 && element.count * rowBytes <= dataBytes + 1))
      continue;
    throwUnreadable(
      'count',
      `The header of the PLY declares ${formatCount(element)}, which is more than the file can contain`,
    );
  }
}

/** Returns the size of a row in a binary file when all of its lists are empty. */
export function getMinimumRowBytes({ properties }: PlyElement): number {
  return properties.reduce((sum, { type, lengthType }) => sum + (lengthType ?? type).bytes, 0);
}

/** Whether a property is the list of a face's vertices: `vertex_index` or `vertex_indices`. */
export function isVertexIndexList({ name, lengthType }: PlyProperty): boolean {
  return lengthType !== undefined && name.startsWith('vertex_ind');
}

/** Describes the number of rows of an element, for error messages. */
export function formatCount({ name, count }: PlyElement): string {
  return `${formatNumber(count)} rows of the element ${quoteUntrusted(name)}`;
}

/** Splits the header into trimmed lines. The end of the first line determines the line separator. */
function splitHeader(text: string): { lines: string[]; dataOffset: number } {
  const lineEnd = /^[^\r\n]*\r(?!\n)/.test(text) ? '\r' : '\n';
  const lines: string[] = [];
  let start = 0;
  for (let end = text.indexOf(lineEnd); end !== -1; end = text.indexOf(lineEnd, start)) {
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (line === 'end_header') return { lines, dataOffset: start };
    lines.push(line);
  }
  throwUnreadable('header', 'The PLY has no "end_header" near its start');
}

function parseElement([name = '', count = '']: string[], line: string): PlyElement {
  if (!/^\d{1,15}$/.test(count)) throwInvalidLine(line);
  return { name, count: Number(count), properties: [] };
}

function parseProperty(words: string[], line: string, element: PlyElement | undefined): void {
  const isList = words[0] === 'list';
  const [lengthTypeName = '', typeName = '', name = ''] = isList ? words.slice(1) : ['', ...words];
  const type = findNumberType(typeName);
  const lengthType = isList ? findNumberType(lengthTypeName) : undefined;
  if (element === undefined || type === undefined || name === '') throwInvalidLine(line);
  if (isList && (lengthType === undefined || lengthType.kind === 'float')) throwInvalidLine(line);
  element.properties.push({ name, type, ...(lengthType && { lengthType }) });
  if (element.properties.length > MAX_PROPERTIES) {
    throwUnreadable('header', `The PLY has an element with more than ${MAX_PROPERTIES} properties`);
  }
}

function findNumberType(name: string): NumberType | undefined {
  return Object.hasOwn(NUMBER_TYPES, name) ? NUMBER_TYPES[name] : undefined;
}

function throwInvalidLine(line: string): never {
  throwUnreadable('header', `The header of the PLY has an invalid line: ${quoteUntrusted(line)}`);
}
