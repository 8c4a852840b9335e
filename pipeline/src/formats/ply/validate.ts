import { BinaryCursor } from '../../validation/binary-cursor.ts';
import { assertWithinLimit, formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, READ_BLOCK_BYTES, readBlocks } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { hasNonFiniteNumber, visitLines } from '../../validation/lines.ts';
import { PolygonCounter } from '../../validation/triangulation-cost.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import {
  assertRowsFit,
  formatCount,
  getMinimumRowBytes,
  isVertexIndexList,
  MAX_PLY_HEADER_BYTES,
  type PlyElement,
  type PlyHeader,
  type PlyProperty,
  parsePlyHeader,
} from './header.ts';
import { VERTEX_PROPERTIES } from './vertex-properties.ts';

/** The maximum size of a list. Faces have a few hundred corners; longer triangle strips are refused. */
const MAX_LIST_BYTES = READ_BLOCK_BYTES;

const POSITION_NAMES: readonly string[] = VERTEX_PROPERTIES.position.flat();

/** Recognizes a PLY. */
export function sniffPly({ text }: FileHead): SniffEvidence | undefined {
  return /^ply[\r\n]/.test(text) ? 'signature' : undefined;
}

/**
 * Validates a PLY: the file has all rows that the header declares, and faces refer to existing vertices.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validatePly(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ValidatedContent> {
  const header = parsePlyHeader(await file.read(0, Math.min(MAX_PLY_HEADER_BYTES, file.size)));
  const vertexCount = header.elements.find(({ name }) => name === 'vertex')?.count ?? 0;
  if (vertexCount === 0) throwUnreadable('empty', 'The PLY has no vertices');
  assertRowsFit(header, file.size);
  assertWithinLimit('vertices', vertexCount, limits);
  const polygons = new PolygonCounter(limits, 'earcut');
  const context: PlyContext = { vertexCount, limits, polygons };
  if (header.encoding === 'ascii') await validateAsciiBody(file, header, context);
  else await validateBinaryBody(file, header, context);
  return { decodedBytes: file.size + polygons.triangulationBytes };
}

type PlyContext = { vertexCount: number; limits: ValidationLimits; polygons: PolygonCounter };

async function validateAsciiBody(
  file: ByteReader,
  header: PlyHeader,
  { vertexCount, limits, polygons }: PlyContext,
): Promise<void> {
  const elements = header.elements.filter(({ count }) => count > 0);
  let elementIndex = 0;
  let row = 0;
  const data = readBlocks(file, {
    offset: header.dataOffset,
    length: file.size - header.dataOffset,
  });
  await visitLines(data, limits, (line, lineNumber) => {
    const element = elements[elementIndex];
    if (element === undefined || line.trim() === '') return;
    validateAsciiRow(line, { element, vertexCount, lineNumber, polygons });
    row++;
    if (row < element.count) return;
    elementIndex++;
    row = 0;
  });
  const incomplete = elements[elementIndex];
  if (incomplete !== undefined) throwTruncated(incomplete, row);
}

type AsciiRow = {
  element: PlyElement;
  vertexCount: number;
  lineNumber: number;
  polygons: PolygonCounter;
};

const hasLists = ({ properties }: PlyElement) =>
  properties.some(({ lengthType }) => lengthType !== undefined);

/** Scans have points without a normal or a measured value: of vertices, only the position must be finite. */
function isRowFinite(line: string, element: PlyElement): boolean {
  if (!hasNonFiniteNumber(line)) return true;
  if (hasLists(element)) return false;
  const values = line.trim().split(/\s+/);
  return !element.properties.some(
    ({ name }, index) => POSITION_NAMES.includes(name) && hasNonFiniteNumber(values[index] ?? ''),
  );
}

function validateAsciiRow(
  line: string,
  { element, vertexCount, lineNumber, polygons }: AsciiRow,
): void {
  const throwInvalid = (reason: string, predicate: string): never =>
    throwUnreadable(reason, `Line ${lineNumber} after the header of the PLY ${predicate}`);
  if (!isRowFinite(line, element)) throwInvalid('not-finite', 'has a value that is not finite');
  if (!hasLists(element)) return;
  const numbers = line.trim().split(/\s+/).map(Number);
  let next = 0;
  for (const property of element.properties) {
    const count = property.lengthType === undefined ? 1 : (numbers[next++] ?? -1);
    if (!(count >= 0) || next + count > numbers.length) {
      throwInvalid('count', 'has fewer numbers than the length of its list');
    }
    if (isVertexIndexList(property)) {
      const missing = numbers
        .slice(next, next + count)
        .find((index) => !isVertexIndex(index, element, vertexCount));
      if (missing !== undefined) {
        throwInvalid(
          'index',
          `refers to vertex ${missing}, but there are ${formatNumber(vertexCount)}`,
        );
      }
      addList(polygons, element, count);
    }
    next += count;
  }
}

/** A triangle strip needs no triangulation. */
function addList(polygons: PolygonCounter, { name }: PlyElement, length: number): void {
  if (name === 'tristrips') polygons.addTriangles(Math.max(length - 2, 0));
  else polygons.add(length);
}

async function validateBinaryBody(
  file: ByteReader,
  header: PlyHeader,
  context: PlyContext,
): Promise<void> {
  const littleEndian = header.encoding === 'binary_little_endian';
  const cursor = new BinaryCursor(file, header.dataOffset);
  const binaryContext: BinaryContext = { ...context, cursor, littleEndian };
  for (const element of header.elements) {
    const hasList = element.properties.some(({ lengthType }) => lengthType !== undefined);
    if (hasList) await validateBinaryRows(binaryContext, element);
    else cursor.skip(element.count * getMinimumRowBytes(element));
    if (cursor.offset > file.size) throwTruncated(element, element.count);
  }
}

type BinaryContext = PlyContext & {
  cursor: BinaryCursor;
  littleEndian: boolean;
};

/** Validates the rows of an element with lists, whose length differs from row to row. */
async function validateBinaryRows(context: BinaryContext, element: PlyElement): Promise<void> {
  const { cursor } = context;
  for (let row = 0; row < element.count; row++) {
    for (const property of element.properties) {
      const { bytes } = property.lengthType ?? property.type;
      if (!cursor.isLoaded(bytes)) await loadRow(cursor, { bytes, element, row });
      if (property.lengthType === undefined) {
        cursor.skip(bytes);
        continue;
      }
      const length = readListLength(context, property, row);
      const listBytes = length * property.type.bytes;
      if (!cursor.isLoaded(listBytes)) await loadRow(cursor, { bytes: listBytes, element, row });
      validateList(context, { length, property, element, row });
    }
  }
}

type RowPart = { bytes: number; element: PlyElement; row: number };

async function loadRow(cursor: BinaryCursor, { bytes, element, row }: RowPart): Promise<void> {
  if (!(await cursor.load(bytes))) throwTruncated(element, row);
}

function readListLength(
  { cursor, littleEndian }: BinaryContext,
  { type, lengthType }: PlyProperty,
  row: number,
): number {
  const length = lengthType === undefined ? 0 : cursor.readNumber(lengthType, littleEndian);
  if (length >= 0 && length * type.bytes <= MAX_LIST_BYTES) return length;
  throwUnreadable(
    'count',
    `Row ${row} of the PLY declares a list of ${formatNumber(length)} numbers`,
  );
}

type PlyList = { length: number; property: PlyProperty; element: PlyElement; row: number };

function validateList(context: BinaryContext, { length, property, element, row }: PlyList): void {
  if (!isVertexIndexList(property)) {
    context.cursor.skip(length * property.type.bytes);
    return;
  }
  for (let corner = 0; corner < length; corner++) {
    const index = context.cursor.readNumber(property.type, context.littleEndian);
    if (isVertexIndex(index, element, context.vertexCount)) continue;
    throwUnreadable(
      'index',
      `Row ${row} of the PLY refers to vertex ${index}, but there are ${formatNumber(context.vertexCount)}`,
    );
  }
  addList(context.polygons, element, length);
}

/** Whether a number is the index of a vertex or, in a triangle strip, -1, which ends the strip. */
function isVertexIndex(index: number, { name }: PlyElement, vertexCount: number): boolean {
  return (index >= 0 && index < vertexCount) || (index === -1 && name === 'tristrips');
}

function throwTruncated(element: PlyElement, rowsRead: number): never {
  throwUnreadable(
    'truncated',
    `The header of the PLY declares ${formatCount(element)}, but the file ends after ${formatNumber(rowsRead)}`,
  );
}
