import { formatNumber } from '../budgets.ts';
import type { ByteReader } from '../byte-reader.ts';
import { throwZipError } from './zip-error.ts';

const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_END_BYTES = 56;
/** The minimum bytes of an entry in the central directory. */
export const CENTRAL_HEADER_BYTES = 46;

/** The range of the central directory and its declared number of entries. */
export type CentralDirectoryLocation = { entryCount: number; offset: number; length: number };

/**
 * Finds the central directory by the record at the end of the archive, or by that of zip64.
 *
 * @throws {Problem} design.unreadable
 */
export async function findCentralDirectory(file: ByteReader): Promise<CentralDirectoryLocation> {
  const tailBytes = Math.min(file.size, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tail = await file.read(file.size - tailBytes, tailBytes);
  const endOffsetInTail = tail.lastIndexOf('PK\x05\x06', tail.length - END_RECORD_BYTES, 'latin1');
  if (endOffsetInTail === -1) throwZipError('truncated', 'It has no directory: its end is missing');
  if (
    endOffsetInTail + END_RECORD_BYTES + tail.readUInt16LE(endOffsetInTail + 20) !==
    tail.length
  ) {
    throwZipError('trailing-bytes', 'Its directory is not at the end of the file');
  }
  const end = tail.subarray(endOffsetInTail, endOffsetInTail + END_RECORD_BYTES);
  const endOffset = file.size - tailBytes + endOffsetInTail;
  if (end.readUInt16LE(4) !== 0 || end.readUInt16LE(6) !== 0) {
    throwZipError('archive', 'It is one part of a multi-part archive');
  }
  const location = {
    entryCount: end.readUInt16LE(10),
    length: end.readUInt32LE(12),
    offset: end.readUInt32LE(16),
  };
  if (end.readUInt16LE(8) !== location.entryCount)
    throwZipError('archive', 'Its two counts of entries differ');
  return validateLocation(...(await applyZip64(file, location, endOffset)));
}

/** Reads the location from the zip64 record if one of the fields has its maximum value. */
async function applyZip64(
  file: ByteReader,
  location: CentralDirectoryLocation,
  endOffset: number,
): Promise<[CentralDirectoryLocation, number]> {
  const { entryCount, length, offset } = location;
  if (entryCount !== 0xffff && length !== 0xffffffff && offset !== 0xffffffff)
    return [location, endOffset];
  if (endOffset < ZIP64_LOCATOR_BYTES + ZIP64_END_BYTES) return [location, endOffset];
  const locator = await file.read(endOffset - ZIP64_LOCATOR_BYTES, ZIP64_LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== ZIP64_LOCATOR_SIGNATURE) return [location, endOffset];

  const zip64Offset = readUint64(locator, 8);
  if (zip64Offset !== endOffset - ZIP64_LOCATOR_BYTES - ZIP64_END_BYTES) {
    throwZipError('archive', 'Its zip64 directory is not at the declared offset');
  }
  const zip64End = await file.read(zip64Offset, ZIP64_END_BYTES);
  if (zip64End.readUInt32LE(0) !== ZIP64_END_SIGNATURE)
    throwZipError('archive', 'Its zip64 directory is invalid');
  const zip64Location = {
    entryCount: readUint64(zip64End, 32),
    length: readUint64(zip64End, 40),
    offset: readUint64(zip64End, 48),
  };
  const agree =
    (entryCount === 0xffff || entryCount === zip64Location.entryCount) &&
    (length === 0xffffffff || length === zip64Location.length) &&
    (offset === 0xffffffff || offset === zip64Location.offset);
  if (!agree) throwZipError('archive', 'Its zip and zip64 directories differ');
  return [zip64Location, zip64Offset];
}

function validateLocation(
  location: CentralDirectoryLocation,
  endOffset: number,
): CentralDirectoryLocation {
  const { entryCount, length, offset } = location;
  if (offset + length !== endOffset)
    throwZipError('archive', 'Its directory is not at the declared offset');
  if (length < entryCount * CENTRAL_HEADER_BYTES) {
    throwZipError(
      'archive',
      `It declares ${formatNumber(entryCount)} entries, but its directory is too short for them`,
    );
  }
  // Names and extra fields of valid files have about 100 bytes.
  if (length > entryCount * 4096)
    throwZipError('archive', 'Its directory is too long for its entries');
  return location;
}

/** Reads a 64-bit integer. Numbers above 2^53, which is larger than any file, become Infinity. */
export function readUint64(bytes: Buffer, offset: number): number {
  const value = bytes.readBigUInt64LE(offset);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}
