import { damaged } from '../damaged.ts';
import { findImageSize } from '../image-size.ts';
import { grouped, type Limits, limit, limitInflation, Tally } from '../limits.ts';
import { quote } from '../quote.ts';
import type { Source } from '../source.ts';
import { Cursor } from './cursor.ts';
import { checkUnfolding, type Fold } from './unfold.ts';

const HEAD_BYTES = 27;
const VERSION_AT = 23;
/** From here on, places in the file have 64 bits. */
const WIDE_VERSION = 7500;
/** Enough of an image to know its size. */
const IMAGE_BYTES = 64 * 1024;
/** Ids and the names of connections; longer texts are not looked at. */
const TEXT_BYTES = 64;
/** Of arrays; all others have less before their bytes. */
const HEAD_OF_PROPERTY_BYTES = 13;
/** The most that deflate can do. */
const MAX_DEFLATE = 1032;
/** The id that stands for the scene. */
const ROOT = '0';

const SCALARS: Readonly<Record<string, number>> = { Y: 2, C: 1, B: 1, I: 4, F: 4, D: 8, L: 8 };
const ARRAYS: Readonly<Record<string, number>> = { f: 4, d: 8, l: 8, i: 4, b: 1, c: 1 };

type Walk = {
  readonly cursor: Cursor;
  readonly isWide: boolean;
  readonly tally: Tally;
  /** Models by id, with those that hang on them. */
  readonly models: Map<string, Fold>;
  /** The records we are in. */
  readonly path: { name: string; end: number }[];
  records: number;
};

/** A record, once its properties are read: the texts and ids among the first of them. */
type Opened = { name: string; end: number; first: readonly string[] };

/**
 * Checks a binary FBX: records within records, arrays that unpack to what is allowed, images of a
 * size that can be shown, and models that do not hang on themselves.
 */
export async function checkFbx(file: Source, limits: Limits): Promise<void> {
  const cursor = new Cursor(file);
  if (!cursor.has(HEAD_BYTES)) await need(cursor, HEAD_BYTES);
  cursor.skip(VERSION_AT);
  const isWide = cursor.uint32() >= WIDE_VERSION;
  const models = new Map<string, Fold>([[ROOT, { triangles: 0, parts: [] }]]);
  const walk: Walk = { cursor, isWide, tally: new Tally(limits), models, path: [], records: 0 };
  while (await walkRecord(walk));

  limitInflation(walk.tally.sum('geometryBytes'), file.size, limits);
  checkUnfolding(models, [ROOT], limits);
}

/** Gives false behind the last record. */
async function walkRecord(walk: Walk): Promise<boolean> {
  const { cursor, path, tally } = walk;
  const record = await openRecord(walk);
  if (record === undefined) {
    const closed = path.pop();
    if (closed !== undefined && closed.end !== cursor.at) lost(cursor);
    return closed !== undefined;
  }
  limit('fbxRecords', ++walk.records, tally.limits);
  note(walk, record);
  if (cursor.at < record.end) {
    path.push(record);
    limit('fbxDepth', path.length, tally.limits);
  }
  // Lists may also end without the empty record that closes them.
  while (cursor.at === path.at(-1)?.end) path.pop();
  return true;
}

/** Reads a record's head and its properties; undefined for the empty one that closes a list. */
async function openRecord({ cursor, isWide, path, tally }: Walk): Promise<Opened | undefined> {
  const start = cursor.at;
  const headBytes = isWide ? 25 : 13;
  if (!cursor.has(headBytes)) await need(cursor, headBytes);
  const read = () => (isWide ? cursor.uint64() : cursor.uint32());
  const [end, count, length] = [read(), read(), read()];
  const nameBytes = cursor.uint8();
  if (end === 0 && count === 0 && length === 0 && nameBytes === 0) return undefined;
  if (!cursor.has(nameBytes)) await need(cursor, nameBytes);
  const name = cursor.text(nameBytes);

  const last = path.at(-1)?.end ?? cursor.size;
  const propertiesEnd = cursor.at + length;
  if (end <= start || end > last || propertiesEnd > end) {
    damaged('range', `The record ${quote(name)} of the FBX ends outside the one it is in`);
  }
  if (count > length) {
    damaged('count', `The record ${quote(name)} of the FBX has no room for ${count} properties`);
  }
  const place: Place = { name, end: propertiesEnd, tally };
  const longest = name === 'Content' ? IMAGE_BYTES : TEXT_BYTES;
  const first: string[] = [];
  for (let at = 0; at < count; at++) {
    const bytes = Math.min(HEAD_OF_PROPERTY_BYTES + longest, propertiesEnd - cursor.at);
    if (!cursor.has(bytes)) await need(cursor, bytes);
    const value = readProperty(cursor, place);
    if (at < 3) first.push(value);
  }
  if (cursor.at !== propertiesEnd) lost(cursor);
  return { name, end, first };
}

type Place = { name: string; end: number; tally: Tally };

/** Goes past a property, whose start is in memory; gives ids and short texts. */
function readProperty(cursor: Cursor, place: Place): string {
  if (cursor.at >= place.end) lost(cursor);
  const type = cursor.text(1);
  const scalar = SCALARS[type];
  const array = ARRAYS[type];
  let value = '';
  if (type === 'L' && place.end - cursor.at >= 8) value = String(cursor.int64());
  else if (scalar !== undefined) cursor.skip(scalar);
  else if (array !== undefined) skipArray(cursor, array, place);
  else if (type === 'S' || type === 'R') value = readBytes(cursor, type, place);
  else {
    const which = `a property of type ${quote(type)}`;
    damaged('property', `The record ${quote(place.name)} of the FBX has ${which}`);
  }
  if (cursor.at > place.end) lost(cursor);
  return value;
}

function skipArray(cursor: Cursor, itemBytes: number, { name, end, tally }: Place): void {
  if (end - cursor.at < 12) lost(cursor);
  const bytes = itemBytes * cursor.uint32();
  const encoding = cursor.uint32();
  const stored = cursor.uint32();
  const isSound =
    encoding === 0 ? bytes === stored : encoding === 1 && bytes <= stored * MAX_DEFLATE;
  if (!isSound) {
    const says = `says it has ${grouped(bytes)} bytes in ${grouped(stored)}, which cannot be`;
    damaged('count', `The record ${quote(name)} of the FBX ${says}`);
  }
  tally.add('geometryBytes', bytes);
  cursor.skip(stored);
}

/** Gives a short text; of an image, checks the size. */
function readBytes(cursor: Cursor, type: string, { name, end, tally }: Place): string {
  if (end - cursor.at < 4) lost(cursor);
  const bytes = cursor.uint32();
  if (cursor.at + bytes > end) lost(cursor);
  if (type === 'S' && bytes <= TEXT_BYTES) return cursor.text(bytes);
  if (name === 'Content') {
    const head = cursor.text(Math.min(bytes, IMAGE_BYTES));
    cursor.skip(bytes - head.length);
    const size = findImageSize(Buffer.from(head, 'latin1'))?.size;
    limit('imageSide', Math.max(size?.width ?? 0, size?.height ?? 0), tally.limits);
    tally.add('pixels', size?.pixels ?? 0);
    return '';
  }
  cursor.skip(bytes);
  return '';
}

/** Keeps what hangs on what. */
function note({ models, path }: Walk, { name, first }: Opened): void {
  const within = path.length === 1 ? path[0]?.name : undefined;
  if (within === 'Objects' && name === 'Model' && first[0] !== undefined) {
    models.set(first[0], { triangles: 0, parts: [] });
  } else if (within === 'Connections' && name === 'C' && first[0] === 'OO') {
    // Objects stand before connections in what every reader takes.
    const [, child = '', parent = ''] = first;
    if (models.has(child)) models.get(parent)?.parts.push(child);
  }
}

async function need(cursor: Cursor, bytes: number): Promise<void> {
  if (cursor.has(bytes) || (await cursor.load(bytes))) return;
  damaged('truncated', `The FBX ends within a record, at byte ${cursor.size}: its end is missing`);
}

function lost(cursor: Cursor): never {
  damaged('range', `The FBX has a record near byte ${cursor.at} whose lengths do not fit`);
}
