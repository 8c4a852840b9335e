import { BinaryCursor, type NumberType } from '../../validation/binary-cursor.ts';
import {
  assertWithinLimit,
  formatNumber,
  type ValidationLimits,
} from '../../validation/budgets.ts';
import { type ByteReader, READ_BLOCK_BYTES, readBlocks } from '../../validation/byte-reader.ts';
import { hasNonFiniteNumber, visitLines } from '../../validation/lines.ts';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { type PlyElement, type PlyHeader, parsePlyHeader } from './header.ts';

const MAX_HEADER_BYTES = 64 * 1024;
/** The most that one list may take: faces have some hundred corners, strips some million. */
const MAX_LIST_BYTES = READ_BLOCK_BYTES;

/** Checks a PLY: as many elements as its header says, and corners that exist. */
export async function validatePly(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const header = parsePlyHeader(await file.read(0, Math.min(MAX_HEADER_BYTES, file.size)));
  const vertexCount = header.elements.find(({ name }) => name === 'vertex')?.count ?? 0;
  if (vertexCount === 0) throwUnreadable('empty', 'The PLY has no vertices');
  const rest = file.size - header.dataOffset;
  for (const element of header.elements) {
    // The least a row can take: in text a digit and a space for each number.
    const row =
      header.encoding === 'ascii' ? 2 * element.properties.length : getMinimumRowBytes(element);
    if (element.count > 0 && (row === 0 || element.count * row > rest + 1)) {
      const says = `${formatNumber(element.count)} of the element ${quoteUntrusted(element.name)}`;
      throwUnreadable('count', `The PLY says it has ${says}, more than the file has room for`);
    }
  }
  assertWithinLimit('vertices', vertexCount, limits);
  if (header.encoding === 'ascii') await validateAsciiBody(file, header, { vertexCount, limits });
  else await validateBinaryBody(file, header, { vertexCount, limits });
}

function getMinimumRowBytes({ properties }: PlyElement): number {
  return properties.reduce((sum, { type, lengthType }) => sum + (lengthType ?? type).bytes, 0);
}

type PlyContext = { vertexCount: number; limits: ValidationLimits };

async function validateAsciiBody(
  file: ByteReader,
  header: PlyHeader,
  { vertexCount, limits }: PlyContext,
): Promise<void> {
  const rows = header.elements.filter(({ count }) => count > 0);
  let [which, row, triangles] = [0, 0, 0];
  const data = readBlocks(file, {
    offset: header.dataOffset,
    length: file.size - header.dataOffset,
  });
  await visitLines(data, limits, (line, at) => {
    const element = rows[which];
    if (element === undefined || line.trim() === '') return;
    triangles += validateAsciiRow(line, element, vertexCount, at);
    assertWithinLimit('triangles', triangles, limits);
    row++;
    if (row < element.count) return;
    which++;
    row = 0;
  });
  const missing = rows[which];
  if (missing !== undefined) throwTruncated(missing, row);
}

/** Gives how many triangles the row draws. */
function validateAsciiRow(line: string, element: PlyElement, vertices: number, at: number): number {
  const broken = (reason: string, complaint: string) =>
    throwUnreadable(reason, `Line ${at} after the header of the PLY ${complaint}`);
  if (hasNonFiniteNumber(line)) broken('not-finite', 'has a number that is none');
  if (element.properties.every(({ lengthType }) => lengthType === undefined)) return 0;
  const numbers = line.trim().split(/\s+/).map(Number);
  let next = 0;
  let triangles = 0;
  for (const { name, lengthType } of element.properties) {
    const count = lengthType === undefined ? 1 : (numbers[next++] ?? -1);
    if (!(count >= 0) || next + count > numbers.length) {
      broken('count', 'has fewer numbers than its list says');
    }
    if (lengthType !== undefined && isVertexIndexProperty(name)) {
      const wrong = numbers
        .slice(next, next + count)
        .find((index) => !(index >= 0 && index < vertices));
      if (wrong !== undefined)
        broken('index', `points at vertex ${wrong} of ${formatNumber(vertices)}`);
      triangles += Math.max(count - 2, 0);
    }
    next += count;
  }
  return triangles;
}

function isVertexIndexProperty(name: string): boolean {
  return name === 'vertex_indices' || name === 'vertex_index';
}

async function validateBinaryBody(
  file: ByteReader,
  header: PlyHeader,
  check: PlyContext,
): Promise<void> {
  const littleEndian = header.encoding === 'binary_little_endian';
  const cursor = new BinaryCursor(file, header.dataOffset);
  const walk: BinaryContext = { ...check, cursor, littleEndian, triangleCount: 0 };
  for (const element of header.elements) {
    const hasList = element.properties.some(({ lengthType }) => lengthType !== undefined);
    if (!hasList) cursor.skip(element.count * getMinimumRowBytes(element));
    else await validateBinaryRows(walk, element);
    if (cursor.offset > file.size) throwTruncated(element, element.count);
  }
}

type BinaryContext = PlyContext & {
  cursor: BinaryCursor;
  littleEndian: boolean;
  triangleCount: number;
};

/** Walks rows with lists in them, each as long as it says. */
async function validateBinaryRows(walk: BinaryContext, element: PlyElement): Promise<void> {
  const { cursor } = walk;
  for (let row = 0; row < element.count; row++) {
    for (const { name, type, lengthType } of element.properties) {
      const start = (lengthType ?? type).bytes;
      if (!cursor.has(start) && !(await cursor.load(start))) throwTruncated(element, row);
      if (lengthType === undefined) {
        cursor.skip(start);
        continue;
      }
      const count = cursor.number(lengthType, walk.littleEndian);
      const bytes = count * type.bytes;
      if (count < 0 || bytes > MAX_LIST_BYTES) {
        throwUnreadable(
          'count',
          `Row ${row} of the PLY has a list of ${formatNumber(count)} numbers`,
        );
      }
      if (!cursor.has(bytes) && !(await cursor.load(bytes))) throwTruncated(element, row);
      if (isVertexIndexProperty(name)) validateIndices(walk, { count, type, row });
      else cursor.skip(bytes);
    }
  }
}

type IndexList = { count: number; type: NumberType; row: number };

function validateIndices(walk: BinaryContext, { count, type, row }: IndexList): void {
  for (let corner = 0; corner < count; corner++) {
    const index = walk.cursor.number(type, walk.littleEndian);
    if (index >= 0 && index < walk.vertexCount) continue;
    throwUnreadable(
      'index',
      `Row ${row} of the PLY points at vertex ${index} of ${formatNumber(walk.vertexCount)}`,
    );
  }
  walk.triangleCount += Math.max(count - 2, 0);
  assertWithinLimit('triangles', walk.triangleCount, walk.limits);
}

function throwTruncated({ name, count }: PlyElement, found: number): never {
  const says = `${formatNumber(count)} of the element ${quoteUntrusted(name)}`;
  throwUnreadable(
    'truncated',
    `The PLY says it has ${says}, but it ends after ${formatNumber(found)}`,
  );
}
