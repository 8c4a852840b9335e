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

/** The files of a zip archive by name. */
export type ZipArchive = {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /**
   * Decompresses an entry.
   *
   * @throws {Problem} design.unreadable: it is damaged, or its size or checksum is not the declared one
   */
  readBlocks(entry: ZipEntry): AsyncIterable<Buffer>;
};

const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const HAS_DATA_DESCRIPTOR = 0x8;
const DEFLATED = 8;

/**
 * Opens a zip archive after checking that it is unambiguous: entries do not overlap, their local and
 * central headers agree, and their declared sizes are within the limits.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex
 */
export async function openZipArchive(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ZipArchive> {
  const directory = await parseCentralDirectory(file, limits);
  const entries = new Map<string, ZipEntry>();
  let totalBytes = 0;
  for (const entry of directory.entries) {
    if (entries.has(entry.name))
      throwZipError('archive', `It has ${quoteUntrusted(entry.name)} twice`);
    entries.set(entry.name, entry);
    totalBytes += entry.uncompressedBytes;
    assertWithinLimit('archiveBytes', totalBytes, limits);
  }
  assertInflationRatio(totalBytes, file.size, limits);

  const starts = await locateEntryData(file, directory.entries, directory.offset);
  return { entries, readBlocks: (entry) => decompress(file, entry, starts.get(entry) ?? 0) };
}

/** Finds where the compressed bytes of each entry start, and checks that entries do not overlap. */
async function locateEntryData(
  file: ByteReader,
  entries: readonly ZipEntry[],
  end: number,
): Promise<Map<ZipEntry, number>> {
  const starts = new Map<ZipEntry, number>();
  let previousEnd = 0;
  for (const entry of entries.toSorted((a, b) => a.localHeaderOffset - b.localHeaderOffset)) {
    const name = quoteUntrusted(entry.name);
    if (entry.localHeaderOffset < previousEnd)
      throwZipError('archive-overlap', `${name} shares bytes with another entry`);
    if (entry.localHeaderOffset + LOCAL_HEADER_BYTES > end)
      throwZipError('truncated', `${name} is past the end`);
    const start = await validateLocalHeader(file, entry, end);
    previousEnd = start + entry.compressedBytes;
    if (previousEnd > end) throwZipError('truncated', `${name} extends past the end`);
    starts.set(entry, start);
  }
  return starts;
}

/** Checks that the local header agrees with the directory. Returns the offset of the data. */
async function validateLocalHeader(
  file: ByteReader,
  entry: ZipEntry,
  end: number,
): Promise<number> {
  const { localHeaderOffset, rawName } = entry;
  const length = Math.min(LOCAL_HEADER_BYTES + rawName.length, end - localHeaderOffset);
  const header = await file.read(localHeaderOffset, length);
  if (header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) {
    throwZipError('archive', `${quoteUntrusted(entry.name)} is not at the offset in the directory`);
  }
  const flags = header.readUInt16LE(6);
  const expected = [entry.crc, entry.compressedBytes, entry.uncompressedBytes].map((value) =>
    Math.min(value, 0xffffffff),
  );
  const actual = [14, 18, 22].map((offset) => header.readUInt32LE(offset));
  // 0: the value is in a data descriptor after the data; 0xffffffff: it is in the zip64 field.
  const isStoredElsewhere = (value: number) =>
    value === 0xffffffff || ((flags & HAS_DATA_DESCRIPTOR) !== 0 && value === 0);
  const agree =
    flags === entry.flags &&
    header.readUInt16LE(8) === entry.method &&
    header.readUInt16LE(26) === rawName.length &&
    header.subarray(LOCAL_HEADER_BYTES).equals(rawName) &&
    actual.every((value, index) => value === expected[index] || isStoredElsewhere(value));
  if (!agree)
    throwZipError(
      'archive',
      `${quoteUntrusted(entry.name)} has different local and central headers`,
    );
  return localHeaderOffset + LOCAL_HEADER_BYTES + rawName.length + header.readUInt16LE(28);
}

async function* decompress(
  file: ByteReader,
  entry: ZipEntry,
  start: number,
): AsyncGenerator<Buffer> {
  const compressed = readBlocks(file, { offset: start, length: entry.compressedBytes });
  let bytes = 0;
  let crc = 0;
  for await (const block of entry.method === DEFLATED ? inflate(compressed, entry) : compressed) {
    bytes += block.length;
    crc = crc32(block, crc);
    if (bytes > entry.uncompressedBytes) break;
    yield block;
  }
  if (bytes !== entry.uncompressedBytes) {
    const declared = `${quoteUntrusted(entry.name)} declares ${formatNumber(entry.uncompressedBytes)} uncompressed bytes`;
    throwZipError(
      'archive-size',
      `${declared}, but it has ${bytes > entry.uncompressedBytes ? 'more' : formatNumber(bytes)}`,
    );
  }
  if (crc !== entry.crc)
    throwZipError('archive-crc', `The checksum of ${quoteUntrusted(entry.name)} is wrong`);
}

async function* inflate(
  compressed: AsyncIterable<Buffer>,
  entry: ZipEntry,
): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize: READ_BLOCK_BYTES });
  // An error of the pipeline also ends the loop below, which throws it.
  const pipelineEnd = pipeline(Readable.from(compressed), stream).catch(() => {});
  try {
    for await (const block of stream) yield block;
  } catch (cause) {
    if (!(cause instanceof Error && 'errno' in cause)) throw cause;
    throwZipError(
      'archive-deflate',
      `${quoteUntrusted(entry.name)} cannot be decompressed: ${cause.message}`,
    );
  } finally {
    stream.destroy();
    await pipelineEnd;
  }
  if (stream.bytesWritten !== entry.compressedBytes) {
    throwZipError(
      'archive-size',
      `${quoteUntrusted(entry.name)} ends before its compressed bytes do`,
    );
  }
}
