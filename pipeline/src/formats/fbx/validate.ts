import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { BinaryCursor } from '../../validation/binary-cursor.ts';
import {
  assertInflationRatio,
  assertWithinLimit,
  Budget,
  formatNumber,
} from '../../validation/budgets.ts';
import type { ByteReader } from '../../validation/byte-reader.ts';
import { findImageSize, IMAGE_HEADER_BYTES } from '../../validation/image-size/image-size.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { type ReferenceNode, validateReferences } from '../../validation/reference-expansion.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

const FBX_HEADER_BYTES = 27;
const VERSION_OFFSET = 23;
/** From here on, places in the file have 64 bits. */
const FIRST_64_BIT_VERSION = 7500;
/** Ids and the names of connections; longer texts are not looked at. */
const MAX_KEPT_STRING_BYTES = 64;
/** Of arrays; all others have less before their bytes. */
const PROPERTY_HEADER_BYTES = 13;
/** The most that deflate can do. */
const MAX_DEFLATE_RATIO = 1032;
/** The id that stands for the scene. */
const SCENE_ID = '0';

const SCALAR_BYTES: Readonly<Record<string, number>> = { Y: 2, C: 1, B: 1, I: 4, F: 4, D: 8, L: 8 };
const ARRAY_ITEM_BYTES: Readonly<Record<string, number>> = { f: 4, d: 8, l: 8, i: 4, b: 1, c: 1 };

type FbxContext = {
  readonly cursor: BinaryCursor;
  readonly uses64BitOffsets: boolean;
  readonly budget: Budget;
  /** Models by id, with those that hang on them. */
  readonly models: Map<string, ReferenceNode>;
  /** The records we are in. */
  readonly path: { name: string; end: number }[];
  recordCount: number;
};

/** A record, once its properties are read: the texts and ids among the first of them. */
type RecordHeader = { name: string; end: number; firstValues: readonly string[] };

/**
 * Checks a binary FBX: records within records, arrays that unpack to what is allowed, images of a
 * size that can be shown, and models that do not hang on themselves.
 */
export async function validateBinaryFbx(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const cursor = new BinaryCursor(file);
  if (!cursor.has(FBX_HEADER_BYTES)) await ensureLoaded(cursor, FBX_HEADER_BYTES);
  cursor.skip(VERSION_OFFSET);
  const uses64BitOffsets = cursor.uint32() >= FIRST_64_BIT_VERSION;
  const models = new Map<string, ReferenceNode>([[SCENE_ID, { triangleCount: 0, references: [] }]]);
  const walk: FbxContext = {
    cursor,
    uses64BitOffsets,
    budget: new Budget(limits),
    models,
    path: [],
    recordCount: 0,
  };
  while (await validateRecord(walk));

  assertInflationRatio(walk.budget.getTotal('geometryBytes'), file.size, limits);
  validateReferences(models, [SCENE_ID], limits);
}

/** Gives false behind the last record. */
async function validateRecord(walk: FbxContext): Promise<boolean> {
  const { cursor, path, budget } = walk;
  const record = await parseRecordHeader(walk);
  if (record === undefined) {
    const closed = path.pop();
    if (closed !== undefined && closed.end !== cursor.offset) throwBrokenLengths(cursor);
    return closed !== undefined;
  }
  assertWithinLimit('fbxRecords', ++walk.recordCount, budget.limits);
  recordHierarchy(walk, record);
  if (cursor.offset < record.end) {
    path.push(record);
    assertWithinLimit('fbxDepth', path.length, budget.limits);
  }
  // Lists may also end without the empty record that closes them.
  while (cursor.offset === path.at(-1)?.end) path.pop();
  return true;
}

/** Reads a record's head and its properties; undefined for the empty one that closes a list. */
async function parseRecordHeader({
  cursor,
  uses64BitOffsets,
  path,
  budget,
}: FbxContext): Promise<RecordHeader | undefined> {
  const start = cursor.offset;
  const headBytes = uses64BitOffsets ? 25 : 13;
  if (!cursor.has(headBytes)) await ensureLoaded(cursor, headBytes);
  const read = () => (uses64BitOffsets ? cursor.uint64() : cursor.uint32());
  const [end, count, length] = [read(), read(), read()];
  const nameBytes = cursor.uint8();
  if (end === 0 && count === 0 && length === 0 && nameBytes === 0) return undefined;
  if (!cursor.has(nameBytes)) await ensureLoaded(cursor, nameBytes);
  const name = cursor.latin1(nameBytes);

  const last = path.at(-1)?.end ?? cursor.size;
  const propertiesEnd = cursor.offset + length;
  if (end <= start || end > last || propertiesEnd > end) {
    throwUnreadable(
      'range',
      `The record ${quoteUntrusted(name)} of the FBX ends outside the one it is in`,
    );
  }
  if (count > length) {
    throwUnreadable(
      'count',
      `The record ${quoteUntrusted(name)} of the FBX has no room for ${count} properties`,
    );
  }
  const place: PropertyContext = { name, end: propertiesEnd, budget };
  const longest = name === 'Content' ? IMAGE_HEADER_BYTES : MAX_KEPT_STRING_BYTES;
  const firstValues: string[] = [];
  for (let at = 0; at < count; at++) {
    const bytes = Math.min(PROPERTY_HEADER_BYTES + longest, propertiesEnd - cursor.offset);
    if (!cursor.has(bytes)) await ensureLoaded(cursor, bytes);
    const value = parseProperty(cursor, place);
    if (at < 3) firstValues.push(value);
  }
  if (cursor.offset !== propertiesEnd) throwBrokenLengths(cursor);
  return { name, end, firstValues };
}

type PropertyContext = { name: string; end: number; budget: Budget };

/** Goes past a property, whose start is in memory; gives ids and short texts. */
function parseProperty(cursor: BinaryCursor, place: PropertyContext): string {
  if (cursor.offset >= place.end) throwBrokenLengths(cursor);
  const type = cursor.latin1(1);
  const scalar = SCALAR_BYTES[type];
  const array = ARRAY_ITEM_BYTES[type];
  let value = '';
  if (type === 'L' && place.end - cursor.offset >= 8) value = String(cursor.int64());
  else if (scalar !== undefined) cursor.skip(scalar);
  else if (array !== undefined) validateArray(cursor, array, place);
  else if (type === 'S' || type === 'R') value = parseBytes(cursor, type, place);
  else {
    const which = `a property of type ${quoteUntrusted(type)}`;
    throwUnreadable('property', `The record ${quoteUntrusted(place.name)} of the FBX has ${which}`);
  }
  if (cursor.offset > place.end) throwBrokenLengths(cursor);
  return value;
}

function validateArray(
  cursor: BinaryCursor,
  itemBytes: number,
  { name, end, budget }: PropertyContext,
): void {
  if (end - cursor.offset < 12) throwBrokenLengths(cursor);
  const bytes = itemBytes * cursor.uint32();
  const encoding = cursor.uint32();
  const stored = cursor.uint32();
  const isSound =
    encoding === 0 ? bytes === stored : encoding === 1 && bytes <= stored * MAX_DEFLATE_RATIO;
  if (!isSound) {
    const says = `says it has ${formatNumber(bytes)} bytes in ${formatNumber(stored)}, which cannot be`;
    throwUnreadable('count', `The record ${quoteUntrusted(name)} of the FBX ${says}`);
  }
  budget.add('geometryBytes', bytes);
  cursor.skip(stored);
}

/** Gives a short text; of an image, checks the size. */
function parseBytes(
  cursor: BinaryCursor,
  type: string,
  { name, end, budget }: PropertyContext,
): string {
  if (end - cursor.offset < 4) throwBrokenLengths(cursor);
  const bytes = cursor.uint32();
  if (cursor.offset + bytes > end) throwBrokenLengths(cursor);
  if (type === 'S' && bytes <= MAX_KEPT_STRING_BYTES) return cursor.latin1(bytes);
  if (name === 'Content') {
    const head = cursor.latin1(Math.min(bytes, IMAGE_HEADER_BYTES));
    cursor.skip(bytes - head.length);
    const size = findImageSize(Buffer.from(head, 'latin1'))?.size;
    assertWithinLimit('imageSide', Math.max(size?.width ?? 0, size?.height ?? 0), budget.limits);
    budget.add('pixels', size?.pixelCount ?? 0);
    return '';
  }
  cursor.skip(bytes);
  return '';
}

/** Keeps what hangs on what. */
function recordHierarchy({ models, path }: FbxContext, { name, firstValues }: RecordHeader): void {
  const within = path.length === 1 ? path[0]?.name : undefined;
  if (within === 'Objects' && name === 'Model' && firstValues[0] !== undefined) {
    models.set(firstValues[0], { triangleCount: 0, references: [] });
  } else if (within === 'Connections' && name === 'C' && firstValues[0] === 'OO') {
    // Objects stand before connections in what every reader takes.
    const [, child = '', parent = ''] = firstValues;
    if (models.has(child)) models.get(parent)?.references.push(child);
  }
}

async function ensureLoaded(cursor: BinaryCursor, bytes: number): Promise<void> {
  if (cursor.has(bytes) || (await cursor.load(bytes))) return;
  throwUnreadable(
    'truncated',
    `The FBX ends within a record, at byte ${cursor.size}: its end is missing`,
  );
}

function throwBrokenLengths(cursor: BinaryCursor): never {
  throwUnreadable(
    'range',
    `The FBX has a record near byte ${cursor.offset} whose lengths do not fit`,
  );
}
