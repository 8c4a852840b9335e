import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertInflationRatio, assertWithinLimit, formatNumber } from '../budgets.ts';
import { type ByteReader, READ_BLOCK_BYTES, readBlocks } from '../byte-reader.ts';
import type { ValidationLimits } from '../limits.ts';
import { parseCentralDirectory, type ZipEntry } from './central-directory.ts';
import { throwZipError } from './zip-error.ts';

export type { ZipEntry } from './central-directory.ts';

/** The files of a zip archive, by name, and how to read them. */
export type ZipArchive = {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** The bytes of an entry, unpacked; ends with a Problem when they are not as they were announced. */
  readBlocks(entry: ZipEntry): AsyncIterable<Buffer>;
};

const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const HAS_DATA_DESCRIPTOR = 0x8;
const DEFLATED = 8;

/**
 * Opens a zip archive that can be understood in one way only: every entry lies in its own bytes, its
 * two headers agree, and the sizes it announces are within the limits.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex
 */
export async function openZipArchive(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ZipArchive> {
  const directory = await parseCentralDirectory(file, limits);
  const entries = new Map<string, ZipEntry>();
  let bytes = 0;
  for (const entry of directory.entries) {
    if (entries.has(entry.name))
      throwZipError('archive', `It has ${quoteUntrusted(entry.name)} twice`);
    entries.set(entry.name, entry);
    bytes += entry.uncompressedBytes;
    assertWithinLimit('archiveBytes', bytes, limits);
  }
  assertInflationRatio(bytes, file.size, limits);

  const starts = await locateEntryData(file, directory.entries, directory.offset);
  return { entries, readBlocks: (entry) => decompress(file, entry, starts.get(entry) ?? 0) };
}

/** Where the packed bytes of each entry start; no two entries may share any. */
async function locateEntryData(
  file: ByteReader,
  entries: readonly ZipEntry[],
  end: number,
): Promise<Map<ZipEntry, number>> {
  const starts = new Map<ZipEntry, number>();
  let free = 0;
  for (const entry of entries.toSorted((a, b) => a.localHeaderOffset - b.localHeaderOffset)) {
    const name = quoteUntrusted(entry.name);
    if (entry.localHeaderOffset < free)
      throwZipError('archive-overlap', `${name} shares bytes with another entry`);
    if (entry.localHeaderOffset + LOCAL_HEADER_BYTES > end)
      throwZipError('truncated', `${name} lies past the end`);
    const start = await validateLocalHeader(file, entry, end);
    free = start + entry.compressedBytes;
    if (free > end) throwZipError('truncated', `${name} goes on past the end`);
    starts.set(entry, start);
  }
  return starts;
}

/** Checks that the local header says what the directory says; gives where the bytes start. */
async function validateLocalHeader(
  file: ByteReader,
  entry: ZipEntry,
  end: number,
): Promise<number> {
  const { localHeaderOffset, rawName } = entry;
  const length = Math.min(LOCAL_HEADER_BYTES + rawName.length, end - localHeaderOffset);
  const header = await file.read(localHeaderOffset, length);
  if (header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) {
    throwZipError('archive', `${quoteUntrusted(entry.name)} is not where the directory says`);
  }
  const flags = header.readUInt16LE(6);
  const expected = [entry.crc, entry.compressedBytes, entry.uncompressedBytes].map((v) =>
    Math.min(v, 0xffffffff),
  );
  const found = [14, 18, 22].map((offset) => header.readUInt32LE(offset));
  // Zeros where a descriptor behind the bytes has them, and all ones where the zip64 field has them.
  const isLeftOut = (value: number) =>
    value === 0xffffffff || ((flags & HAS_DATA_DESCRIPTOR) !== 0 && value === 0);
  const agree =
    flags === entry.flags &&
    header.readUInt16LE(8) === entry.method &&
    header.readUInt16LE(26) === rawName.length &&
    header.subarray(LOCAL_HEADER_BYTES).equals(rawName) &&
    found.every((value, at) => value === expected[at] || isLeftOut(value));
  if (!agree) throwZipError('archive', `${quoteUntrusted(entry.name)} has two headers that differ`);
  return localHeaderOffset + LOCAL_HEADER_BYTES + rawName.length + header.readUInt16LE(28);
}

async function* decompress(
  file: ByteReader,
  entry: ZipEntry,
  start: number,
): AsyncGenerator<Buffer> {
  const packed = readBlocks(file, { offset: start, length: entry.compressedBytes });
  let bytes = 0;
  let crc = 0;
  for await (const block of entry.method === DEFLATED ? inflate(packed, entry) : packed) {
    bytes += block.length;
    crc = crc32(block, crc);
    if (bytes > entry.uncompressedBytes) break;
    yield block;
  }
  if (bytes !== entry.uncompressedBytes) {
    const says = `${quoteUntrusted(entry.name)} says it unpacks to ${formatNumber(entry.uncompressedBytes)} bytes`;
    throwZipError(
      'archive-size',
      `${says}, but it has ${bytes > entry.uncompressedBytes ? 'more' : formatNumber(bytes)}`,
    );
  }
  if (crc !== entry.crc)
    throwZipError('archive-crc', `The bytes of ${quoteUntrusted(entry.name)} were changed`);
}

async function* inflate(packed: AsyncIterable<Buffer>, entry: ZipEntry): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize: READ_BLOCK_BYTES });
  // Whatever ends the pipeline early ends the loop below too, which says why.
  const fed = pipeline(Readable.from(packed), stream).catch(() => {});
  try {
    for await (const block of stream) yield block;
  } catch (cause) {
    if (!(cause instanceof Error && 'errno' in cause)) throw cause;
    throwZipError(
      'archive-deflate',
      `${quoteUntrusted(entry.name)} cannot be unpacked: ${cause.message}`,
    );
  } finally {
    stream.destroy();
    await fed;
  }
  if (stream.bytesWritten !== entry.compressedBytes) {
    throwZipError('archive-size', `${quoteUntrusted(entry.name)} ends before its packed bytes do`);
  }
}
