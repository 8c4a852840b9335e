import { Problem } from '@cloche/contract/problem';
import { grouped, type Limits, limit } from '../limits.ts';
import { quote } from '../quote.ts';
import type { Source } from '../source.ts';
import { checkName, checkSort } from './names.ts';

/** A file in a zip archive, as its central directory has it. */
export type Entry = {
  readonly name: string;
  /** The name as it is stored. */
  readonly rawName: Buffer;
  readonly flags: number;
  /** 0: stored; 8: deflated. */
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Where its local header is. */
  readonly headerAt: number;
};

export type Directory = { entries: Entry[]; offset: number };

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const END_64 = 0x06064b50;
const END_64_BYTES = 56;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 0x1 | 0x40 | 0x2000;
const UTF_8 = 0x800;

/**
 * Reads the central directory of a zip archive, and nothing but it.
 *
 * Folders are left out. Readers differ in what they make of archives that are not quite right, so
 * whatever two of them could understand in different ways is refused.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex
 */
export async function readDirectory(file: Source, limits: Limits): Promise<Directory> {
  const { count, offset, length } = await findDirectory(file);
  limit('archiveEntries', count, limits);
  const bytes = await file.read(offset, length);
  const entries: Entry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    const { entry, next } = readEntry(bytes, at, index);
    at = next;
    if (!entry.name.endsWith('/')) entries.push(entry);
  }
  if (at !== length) refuse('archive', `Its directory is ${grouped(length - at)} bytes too long`);
  return { entries, offset };
}

type Place = { count: number; offset: number; length: number };

async function findDirectory(file: Source): Promise<Place> {
  const tailBytes = Math.min(file.size, END_BYTES + MAX_COMMENT_BYTES);
  const tail = await file.read(file.size - tailBytes, tailBytes);
  const at = tail.lastIndexOf('PK\x05\x06', tail.length - END_BYTES, 'latin1');
  if (at === -1) refuse('truncated', 'It has no directory at its end: the end is missing');
  if (at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length) {
    refuse('trailing-bytes', 'Its directory is not where the file ends');
  }
  const end = tail.subarray(at, at + END_BYTES);
  const endAt = file.size - tailBytes + at;
  if (end.readUInt16LE(4) !== 0 || end.readUInt16LE(6) !== 0) {
    refuse('archive', 'It is one part of several');
  }
  const place = {
    count: end.readUInt16LE(10),
    length: end.readUInt32LE(12),
    offset: end.readUInt32LE(16),
  };
  if (end.readUInt16LE(8) !== place.count) refuse('archive', 'It counts its entries in two ways');
  return checkPlace(...(await widen(file, place, endAt)));
}

/** Takes the numbers of zip64 where those of zip are full. */
async function widen(file: Source, place: Place, endAt: number): Promise<[Place, number]> {
  const { count, length, offset } = place;
  if (count !== 0xffff && length !== 0xffffffff && offset !== 0xffffffff) return [place, endAt];
  if (endAt < LOCATOR_BYTES + END_64_BYTES) return [place, endAt];
  const locator = await file.read(endAt - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR) return [place, endAt];

  const wideAt = readWide(locator, 8);
  if (wideAt !== endAt - LOCATOR_BYTES - END_64_BYTES) {
    refuse('archive', 'Its zip64 directory is not where it says');
  }
  const wide = await file.read(wideAt, END_64_BYTES);
  if (wide.readUInt32LE(0) !== END_64) refuse('archive', 'Its zip64 directory is broken');
  const found = {
    count: readWide(wide, 32),
    length: readWide(wide, 40),
    offset: readWide(wide, 48),
  };
  const agree =
    (count === 0xffff || count === found.count) &&
    (length === 0xffffffff || length === found.length) &&
    (offset === 0xffffffff || offset === found.offset);
  if (!agree) refuse('archive', 'Its two directories say different things');
  return [found, wideAt];
}

function checkPlace(place: Place, endAt: number): Place {
  const { count, length, offset } = place;
  if (offset + length !== endAt) refuse('archive', 'Its directory is not where it says');
  if (length < count * CENTRAL_BYTES) {
    refuse(
      'archive',
      `It says it has ${grouped(count)} entries, but its directory has no room for them`,
    );
  }
  // Names and extra fields of honest files are some 100 bytes.
  if (length > count * 4096) refuse('archive', 'Its directory is far too long');
  return place;
}

function readEntry(bytes: Buffer, at: number, index: number): { entry: Entry; next: number } {
  if (at + CENTRAL_BYTES > bytes.length || bytes.readUInt32LE(at) !== CENTRAL) {
    refuse('archive', `Entry ${index} of its directory is broken`);
  }
  const field = (offset: number) => bytes.readUInt16LE(at + offset);
  const nameAt = at + CENTRAL_BYTES;
  const extraAt = nameAt + field(28);
  const commentAt = extraAt + field(30);
  const next = commentAt + field(32);
  if (next > bytes.length) refuse('archive', `Entry ${index} of its directory is cut short`);

  const rawName = bytes.subarray(nameAt, extraAt);
  const flags = field(8);
  const name = checkName(rawName, (flags & UTF_8) !== 0);
  checkSort(name, bytes.readUInt32LE(at + 38));
  if ((flags & ENCRYPTED) !== 0) {
    throw new Problem('design.unsupported', {
      detail: `The archive is encrypted (${quote(name)}); pack it without a password.`,
      reason: 'encrypted',
    });
  }
  const method = field(10);
  if (method !== STORED && method !== DEFLATED) {
    throw new Problem('design.unsupported', {
      detail: `The archive packs ${quote(name)} by method ${method}; only deflate (the usual one) is read.`,
      reason: 'archive-method',
    });
  }
  const sizes = readSizes(bytes.subarray(at, next), bytes.subarray(extraAt, commentAt), name);
  if (method === STORED && sizes.bytes !== sizes.packedBytes) {
    refuse('archive', `${quote(name)} is stored as it is, yet has two sizes`);
  }
  return {
    entry: { name, rawName, flags, method, crc: bytes.readUInt32LE(at + 16), ...sizes },
    next,
  };
}

/** The two sizes and the place; from the zip64 field where the plain ones are full. */
function readSizes(entry: Buffer, extra: Buffer, name: string) {
  const wide = findWide(extra);
  let at = 0;
  const widened = (offset: number): number => {
    const value = entry.readUInt32LE(offset);
    if (value !== 0xffffffff) return value;
    if (wide === undefined || at + 8 > wide.length) {
      refuse('archive', `The zip64 sizes of ${quote(name)} are missing`);
    }
    at += 8;
    return readWide(wide, at - 8);
  };
  const bytes = widened(24);
  const packedBytes = widened(20);
  return { bytes, packedBytes, headerAt: widened(42) };
}

function findWide(extra: Buffer): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) return extra.subarray(at + 4, Math.min(end, extra.length));
    at = end;
  }
  return undefined;
}

function readWide(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}

/** @throws {Problem} design.unreadable: always */
export function refuse(reason: string, complaint: string): never {
  throw new Problem('design.unreadable', {
    detail: `The zip archive is damaged or made to mislead. ${complaint}.`,
    reason,
  });
}
