import { grouped } from '../limits.ts';
import type { Source } from '../source.ts';
import { refuse } from './refuse.ts';

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const END_64 = 0x06064b50;
const END_64_BYTES = 56;
/** The least that an entry takes. */
export const CENTRAL_BYTES = 46;

/** Where the directory of an archive is, and how many entries it says it has. */
export type Place = { count: number; offset: number; length: number };

/**
 * Finds the directory by the record at the archive's end, which may be of zip64.
 *
 * @throws {Problem} design.unreadable
 */
export async function findDirectory(file: Source): Promise<Place> {
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

/** A number of 64 bits; beyond 2^53 no file has a place. */
export function readWide(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}
