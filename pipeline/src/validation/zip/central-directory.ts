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

/** A file in a zip archive, as its central directory has it. */
export type ZipEntry = {
  readonly name: string;
  /** The name as it is stored. */
  readonly rawName: Buffer;
  readonly flags: number;
  /** 0: stored; 8: deflated. */
  readonly method: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly uncompressedBytes: number;
  /** Where its local header is. */
  readonly localHeaderOffset: number;
};

export type CentralDirectory = { entries: ZipEntry[]; offset: number };

const CENTRAL_HEADER_SIGNATURE = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000;
const UTF_8_FLAG = 0x800;

/**
 * Reads the central directory of a zip archive, and nothing but it.
 *
 * Folders are left out. Readers differ in what they make of archives that are not quite right, so
 * whatever two of them could understand in different ways is refused.
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
  let at = 0;
  for (let index = 0; index < entryCount; index++) {
    const { entry, next } = parseCentralHeader(bytes, at, index);
    at = next;
    if (!entry.name.endsWith('/')) entries.push(entry);
  }
  if (at !== length)
    throwZipError('archive', `Its directory is ${formatNumber(length - at)} bytes too long`);
  return { entries, offset };
}

function parseCentralHeader(
  bytes: Buffer,
  at: number,
  index: number,
): { entry: ZipEntry; next: number } {
  if (
    at + CENTRAL_HEADER_BYTES > bytes.length ||
    bytes.readUInt32LE(at) !== CENTRAL_HEADER_SIGNATURE
  ) {
    throwZipError('archive', `Entry ${index} of its directory is broken`);
  }
  const field = (offset: number) => bytes.readUInt16LE(at + offset);
  const nameAt = at + CENTRAL_HEADER_BYTES;
  const extraAt = nameAt + field(28);
  const commentAt = extraAt + field(30);
  const next = commentAt + field(32);
  if (next > bytes.length) throwZipError('archive', `Entry ${index} of its directory is cut short`);

  const rawName = bytes.subarray(nameAt, extraAt);
  const flags = field(8);
  const name = parseEntryName(rawName, (flags & UTF_8_FLAG) !== 0);
  assertFileOrDirectory(name, bytes.readUInt32LE(at + 38));
  if ((flags & ENCRYPTED_FLAGS) !== 0) {
    throw new Problem('design.unsupported', {
      detail: `The archive is encrypted (${quoteUntrusted(name)}); pack it without a password.`,
      reason: 'encrypted',
    });
  }
  const method = field(10);
  if (method !== STORED && method !== DEFLATED) {
    throw new Problem('design.unsupported', {
      detail: `The archive packs ${quoteUntrusted(name)} by method ${method}; only deflate (the usual one) is read.`,
      reason: 'archive-method',
    });
  }
  const sizes = parseEntrySizes(bytes.subarray(at, next), bytes.subarray(extraAt, commentAt), name);
  if (method === STORED && sizes.uncompressedBytes !== sizes.compressedBytes) {
    throwZipError('archive', `${quoteUntrusted(name)} is stored as it is, yet has two sizes`);
  }
  return {
    entry: { name, rawName, flags, method, crc: bytes.readUInt32LE(at + 16), ...sizes },
    next,
  };
}

/** The two sizes and the place; from the zip64 field where the plain ones are full. */
function parseEntrySizes(entry: Buffer, extra: Buffer, name: string) {
  const wide = findZip64Extra(extra);
  let at = 0;
  const widened = (offset: number): number => {
    const value = entry.readUInt32LE(offset);
    if (value !== 0xffffffff) return value;
    if (wide === undefined || at + 8 > wide.length) {
      throwZipError('archive', `The zip64 sizes of ${quoteUntrusted(name)} are missing`);
    }
    at += 8;
    return readUint64(wide, at - 8);
  };
  const bytes = widened(24);
  const packedBytes = widened(20);
  return { uncompressedBytes: bytes, compressedBytes: packedBytes, localHeaderOffset: widened(42) };
}

function findZip64Extra(extra: Buffer): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) return extra.subarray(at + 4, Math.min(end, extra.length));
    at = end;
  }
  return undefined;
}
