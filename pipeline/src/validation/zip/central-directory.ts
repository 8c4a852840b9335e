import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit, formatNumber } from '../budgets.ts';
import type { ByteReader } from '../byte-reader.ts';
import type { ValidationLimits } from '../limits.ts';
import {
  CENTRAL_HEADER_BYTES,
  findCentralDirectory,
  readUint64,
} from './end-of-central-directory.ts';
import { assertFileOrDirectory, parseEntryName } from './entry-names.ts';
import { throwZipError } from './zip-error.ts';

/** An entry of a zip archive, as the central directory describes it. */
export type ZipEntry = {
  readonly name: string;
  /** The stored bytes of the name. */
  readonly rawName: Buffer;
  readonly flags: number;
  /** 0: stored; 8: deflated. */
  readonly method: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly uncompressedBytes: number;
  /** In bytes from the start of the archive. */
  readonly localHeaderOffset: number;
};

/** The files of an archive, and the offset of its central directory. */
export type CentralDirectory = { entries: ZipEntry[]; offset: number };

const CENTRAL_HEADER_SIGNATURE = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000;
const UTF_8_FLAG = 0x800;

/**
 * Reads the files in the central directory of a zip archive. Folders are left out.
 *
 * Zip libraries interpret invalid archives differently, so an ambiguous archive is refused.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex
 */
export async function parseCentralDirectory(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<CentralDirectory> {
  const { entryCount, offset, length } = await findCentralDirectory(file);
  assertWithinLimit('archiveEntries', entryCount, limits);
  const bytes = await file.read(offset, length);
  const entries: ZipEntry[] = [];
  let headerOffset = 0;
  for (let index = 0; index < entryCount; index++) {
    const { entry, next } = parseCentralHeader(bytes, headerOffset, index);
    headerOffset = next;
    if (!entry.name.endsWith('/')) entries.push(entry);
  }
  if (headerOffset !== length)
    throwZipError(
      'archive',
      `Its directory is ${formatNumber(length - headerOffset)} bytes too long`,
    );
  return { entries, offset };
}

function parseCentralHeader(
  bytes: Buffer,
  offset: number,
  index: number,
): { entry: ZipEntry; next: number } {
  if (
    offset + CENTRAL_HEADER_BYTES > bytes.length ||
    bytes.readUInt32LE(offset) !== CENTRAL_HEADER_SIGNATURE
  ) {
    throwZipError('archive', `Entry ${index} of its directory is invalid`);
  }
  const readField = (fieldOffset: number) => bytes.readUInt16LE(offset + fieldOffset);
  const nameOffset = offset + CENTRAL_HEADER_BYTES;
  const extraOffset = nameOffset + readField(28);
  const commentOffset = extraOffset + readField(30);
  const next = commentOffset + readField(32);
  if (next > bytes.length) throwZipError('archive', `Entry ${index} of its directory is truncated`);

  const rawName = bytes.subarray(nameOffset, extraOffset);
  const flags = readField(8);
  const name = parseEntryName(rawName, (flags & UTF_8_FLAG) !== 0);
  assertFileOrDirectory(name, bytes.readUInt32LE(offset + 38));
  if ((flags & ENCRYPTED_FLAGS) !== 0) {
    throw new Problem('design.unsupported', {
      detail: `The archive is encrypted (${quoteUntrusted(name)}); create it without a password.`,
      reason: 'encrypted',
    });
  }
  const method = readField(10);
  if (method !== STORED && method !== DEFLATED) {
    throw new Problem('design.unsupported', {
      detail: `The archive compresses ${quoteUntrusted(name)} with method ${method}; only deflate, the usual method, is supported.`,
      reason: 'archive-method',
    });
  }
  const sizes = parseEntrySizes(
    bytes.subarray(offset, next),
    bytes.subarray(extraOffset, commentOffset),
    name,
  );
  if (method === STORED && sizes.uncompressedBytes !== sizes.compressedBytes) {
    throwZipError('archive', `${quoteUntrusted(name)} is not compressed, but its two sizes differ`);
  }
  return {
    entry: { name, rawName, flags, method, crc: bytes.readUInt32LE(offset + 16), ...sizes },
    next,
  };
}

/** Reads the sizes and the offset of an entry: from its zip64 field where the 32-bit field is 0xffffffff. */
function parseEntrySizes(entry: Buffer, extra: Buffer, name: string) {
  const zip64 = findZip64Extra(extra);
  let zip64Offset = 0;
  const readSize = (offset: number): number => {
    const value = entry.readUInt32LE(offset);
    if (value !== 0xffffffff) return value;
    if (zip64 === undefined || zip64Offset + 8 > zip64.length) {
      throwZipError('archive', `The zip64 sizes of ${quoteUntrusted(name)} are missing`);
    }
    zip64Offset += 8;
    return readUint64(zip64, zip64Offset - 8);
  };
  // In the order of the zip64 field.
  const uncompressedBytes = readSize(24);
  const compressedBytes = readSize(20);
  return { uncompressedBytes, compressedBytes, localHeaderOffset: readSize(42) };
}

function findZip64Extra(extra: Buffer): Buffer | undefined {
  for (let offset = 0; offset + 4 <= extra.length; ) {
    const end = offset + 4 + extra.readUInt16LE(offset + 2);
    if (extra.readUInt16LE(offset) === 1)
      return extra.subarray(offset + 4, Math.min(end, extra.length));
    offset = end;
  }
  return undefined;
}
