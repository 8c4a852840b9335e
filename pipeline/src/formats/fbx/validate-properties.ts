import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { BinaryCursor } from '../../validation/binary-cursor.ts';
import { assertWithinLimit, type Budget, formatNumber } from '../../validation/budgets.ts';
import { findImageSize, IMAGE_HEADER_BYTES } from '../../validation/image-size/image-size.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { POLYGON_RECORD, type StoredArray } from './polygon-arrays.ts';

/** Strings up to this length are returned: ids and the names of connections are shorter. */
const MAX_RETURNED_STRING_BYTES = 64;
/** The longest property header, that of arrays: type, length, encoding, stored length. */
const PROPERTY_HEADER_BYTES = 13;
const ARRAY_HEADER_BYTES = 12;
/** The maximum compression ratio of deflate. */
const MAX_DEFLATE_RATIO = 1032;
/** The ids and the names of connections are among the first three properties. */
const RETURNED_PROPERTIES = 3;

const SCALAR_BYTES: Readonly<Record<string, number>> = { Y: 2, C: 1, B: 1, I: 4, F: 4, D: 8, L: 8 };
const ARRAY_ITEM_BYTES: Readonly<Record<string, number>> = { f: 4, d: 8, l: 8, i: 4, b: 1, c: 1 };

type PropertyContext = {
  recordName: string;
  endOffset: number;
  budget: Budget;
  /** Gets the arrays of the polygons. */
  polygonArrays: StoredArray[];
};

/** Validates the properties of a record; returns the first three as text ('' if not an id or a short string). */
export async function validateProperties(
  cursor: BinaryCursor,
  count: number,
  context: PropertyContext,
): Promise<string[]> {
  const { recordName, endOffset } = context;
  const maxValueBytes = recordName === 'Content' ? IMAGE_HEADER_BYTES : MAX_RETURNED_STRING_BYTES;
  const firstValues: string[] = [];
  for (let index = 0; index < count; index++) {
    const bytes = Math.min(PROPERTY_HEADER_BYTES + maxValueBytes, endOffset - cursor.offset);
    if (!cursor.isLoaded(bytes)) await ensureLoaded(cursor, bytes);
    const value = parseProperty(cursor, context);
    if (index < RETURNED_PROPERTIES) firstValues.push(value);
  }
  if (cursor.offset !== endOffset) throwContradictoryLengths(cursor);
  return firstValues;
}

/** Validates a property whose header is loaded, and skips it; returns ids and short strings, else ''. */
function parseProperty(cursor: BinaryCursor, context: PropertyContext): string {
  if (cursor.offset >= context.endOffset) throwContradictoryLengths(cursor);
  const type = cursor.readLatin1(1);
  const scalarBytes = SCALAR_BYTES[type];
  const arrayItemBytes = ARRAY_ITEM_BYTES[type];
  let value = '';
  if (type === 'L' && context.endOffset - cursor.offset >= 8) value = String(cursor.readInt64());
  else if (scalarBytes !== undefined) cursor.skip(scalarBytes);
  else if (arrayItemBytes !== undefined) validateArray(cursor, arrayItemBytes, context);
  else if (type === 'S' || type === 'R') value = parseBytes(cursor, type, context);
  else {
    throwUnreadable(
      'property',
      `The record ${quoteUntrusted(context.recordName)} of the FBX file has a property of the unknown type ${quoteUntrusted(type)}`,
    );
  }
  if (cursor.offset > context.endOffset) throwContradictoryLengths(cursor);
  return value;
}

function validateArray(
  cursor: BinaryCursor,
  itemBytes: number,
  { recordName, endOffset, budget, polygonArrays }: PropertyContext,
): void {
  if (endOffset - cursor.offset < ARRAY_HEADER_BYTES) throwContradictoryLengths(cursor);
  const decompressedBytes = itemBytes * cursor.readUint32();
  const encoding = cursor.readUint32();
  const storedBytes = cursor.readUint32();
  const isValid =
    encoding === 0
      ? decompressedBytes === storedBytes
      : encoding === 1 && decompressedBytes <= storedBytes * MAX_DEFLATE_RATIO;
  if (!isValid) {
    throwUnreadable(
      'count',
      `The record ${quoteUntrusted(recordName)} of the FBX file declares ${formatNumber(decompressedBytes)} bytes but stores ${formatNumber(storedBytes)}`,
    );
  }
  budget.add('geometryBytes', decompressedBytes);
  if (recordName === POLYGON_RECORD && itemBytes === 4)
    polygonArrays.push({
      offset: cursor.offset,
      length: storedBytes,
      isDeflated: encoding === 1,
      decompressedBytes,
    });
  cursor.skip(storedBytes);
}

/** Skips a string or raw bytes; returns a short string, else '', and validates the size of an image. */
function parseBytes(
  cursor: BinaryCursor,
  type: string,
  { recordName, endOffset, budget }: PropertyContext,
): string {
  if (endOffset - cursor.offset < 4) throwContradictoryLengths(cursor);
  const bytes = cursor.readUint32();
  if (cursor.offset + bytes > endOffset) throwContradictoryLengths(cursor);
  if (type === 'S' && bytes <= MAX_RETURNED_STRING_BYTES) return cursor.readLatin1(bytes);
  if (recordName === 'Content') {
    const head = cursor.readLatin1(Math.min(bytes, IMAGE_HEADER_BYTES));
    cursor.skip(bytes - head.length);
    const size = findImageSize(Buffer.from(head, 'latin1'))?.size;
    assertWithinLimit('imageSide', Math.max(size?.width ?? 0, size?.height ?? 0), budget.limits);
    budget.add('pixels', size?.pixelCount ?? 0);
    return '';
  }
  cursor.skip(bytes);
  return '';
}

/**
 * Loads the next bytes, if they are not loaded.
 *
 * @throws {Problem} design.unreadable: the file ends before them
 */
export async function ensureLoaded(cursor: BinaryCursor, bytes: number): Promise<void> {
  if (cursor.isLoaded(bytes) || (await cursor.load(bytes))) return;
  throwUnreadable('truncated', `The FBX file is cut off within a record, at byte ${cursor.size}`);
}

/** @throws {Problem} design.unreadable: the lengths of a record contradict each other */
export function throwContradictoryLengths(cursor: BinaryCursor): never {
  throwUnreadable(
    'range',
    `The FBX file has a record near byte ${cursor.offset} with contradictory lengths`,
  );
}
