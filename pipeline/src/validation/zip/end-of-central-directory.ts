import { formatNumber } from '../budgets.ts';
import type { ByteReader } from '../byte-reader.ts';
import { throwZipError } from './zip-error.ts';

const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_END_BYTES = 56;
/** The least that an entry takes. */
export const CENTRAL_HEADER_BYTES = 46;

/** Where the directory of an archive is, and how many entries it says it has. */
export type CentralDirectoryLocation = { entryCount: number; offset: number; length: number };

/**
 * Finds the directory by the record at the archive's end, which may be of zip64.
 *
 * @throws {Problem} design.unreadable
 */
export async function findCentralDirectory(file: ByteReader): Promise<CentralDirectoryLocation> {
  const tailBytes = Math.min(file.size, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tail = await file.read(file.size - tailBytes, tailBytes);
  const at = tail.lastIndexOf('PK\x05\x06', tail.length - END_RECORD_BYTES, 'latin1');
  if (at === -1) throwZipError('truncated', 'It has no directory at its end: the end is missing');
  if (at + END_RECORD_BYTES + tail.readUInt16LE(at + 20) !== tail.length) {
    throwZipError('trailing-bytes', 'Its directory is not where the file ends');
  }
  const end = tail.subarray(at, at + END_RECORD_BYTES);
  const endAt = file.size - tailBytes + at;
  if (end.readUInt16LE(4) !== 0 || end.readUInt16LE(6) !== 0) {
    throwZipError('archive', 'It is one part of several');
  }
  const place = {
    entryCount: end.readUInt16LE(10),
    length: end.readUInt32LE(12),
    offset: end.readUInt32LE(16),
  };
  if (end.readUInt16LE(8) !== place.entryCount)
    throwZipError('archive', 'It counts its entries in two ways');
  return validateLocation(...(await applyZip64(file, place, endAt)));
}

/** Takes the numbers of zip64 where those of zip are full. */
async function applyZip64(
  file: ByteReader,
  place: CentralDirectoryLocation,
  endAt: number,
): Promise<[CentralDirectoryLocation, number]> {
  const { entryCount, length, offset } = place;
  if (entryCount !== 0xffff && length !== 0xffffffff && offset !== 0xffffffff)
    return [place, endAt];
  if (endAt < ZIP64_LOCATOR_BYTES + ZIP64_END_BYTES) return [place, endAt];
  const locator = await file.read(endAt - ZIP64_LOCATOR_BYTES, ZIP64_LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== ZIP64_LOCATOR_SIGNATURE) return [place, endAt];

  const wideAt = readUint64(locator, 8);
  if (wideAt !== endAt - ZIP64_LOCATOR_BYTES - ZIP64_END_BYTES) {
    throwZipError('archive', 'Its zip64 directory is not where it says');
  }
  const wide = await file.read(wideAt, ZIP64_END_BYTES);
  if (wide.readUInt32LE(0) !== ZIP64_END_SIGNATURE)
    throwZipError('archive', 'Its zip64 directory is broken');
  const found = {
    entryCount: readUint64(wide, 32),
    length: readUint64(wide, 40),
    offset: readUint64(wide, 48),
  };
  const agree =
    (entryCount === 0xffff || entryCount === found.entryCount) &&
    (length === 0xffffffff || length === found.length) &&
    (offset === 0xffffffff || offset === found.offset);
  if (!agree) throwZipError('archive', 'Its two directories say different things');
  return [found, wideAt];
}

function validateLocation(
  place: CentralDirectoryLocation,
  endAt: number,
): CentralDirectoryLocation {
  const { entryCount, length, offset } = place;
  if (offset + length !== endAt) throwZipError('archive', 'Its directory is not where it says');
  if (length < entryCount * CENTRAL_HEADER_BYTES) {
    throwZipError(
      'archive',
      `It says it has ${formatNumber(entryCount)} entries, but its directory has no room for them`,
    );
  }
  // Names and extra fields of honest files are some 100 bytes.
  if (length > entryCount * 4096) throwZipError('archive', 'Its directory is far too long');
  return place;
}

/** A number of 64 bits; beyond 2^53 no file has a place. */
export function readUint64(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}
