import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { grouped, type Limits, limit, limitInflation } from '../limits.ts';
import { quote } from '../quote.ts';
import { BLOCK_BYTES, blocksOf, type Source } from '../source.ts';
import { type Entry, readDirectory } from './directory.ts';
import { refuse } from './refuse.ts';

export type { Entry } from './directory.ts';

/** The files of a zip archive, by name, and how to read them. */
export type Archive = {
  readonly entries: ReadonlyMap<string, Entry>;
  /** The bytes of an entry, unpacked; ends with a Problem when they are not as they were announced. */
  blocks(entry: Entry): AsyncIterable<Buffer>;
};

const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const HAS_DESCRIPTOR = 0x8;
const DEFLATED = 8;

/**
 * Opens a zip archive that can be understood in one way only: every entry lies in its own bytes, its
 * two headers agree, and the sizes it announces are within the limits.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex
 */
export async function openArchive(file: Source, limits: Limits): Promise<Archive> {
  const directory = await readDirectory(file, limits);
  const entries = new Map<string, Entry>();
  let bytes = 0;
  for (const entry of directory.entries) {
    if (entries.has(entry.name)) refuse('archive', `It has ${quote(entry.name)} twice`);
    entries.set(entry.name, entry);
    bytes += entry.bytes;
    limit('archiveBytes', bytes, limits);
  }
  limitInflation(bytes, file.size, limits);

  const starts = await findData(file, directory.entries, directory.offset);
  return { entries, blocks: (entry) => unpack(file, entry, starts.get(entry) ?? 0) };
}

/** Where the packed bytes of each entry start; no two entries may share any. */
async function findData(
  file: Source,
  entries: readonly Entry[],
  end: number,
): Promise<Map<Entry, number>> {
  const starts = new Map<Entry, number>();
  let free = 0;
  for (const entry of entries.toSorted((a, b) => a.headerAt - b.headerAt)) {
    const name = quote(entry.name);
    if (entry.headerAt < free) refuse('archive-overlap', `${name} shares bytes with another entry`);
    if (entry.headerAt + LOCAL_BYTES > end) refuse('truncated', `${name} lies past the end`);
    const start = await checkLocal(file, entry, end);
    free = start + entry.packedBytes;
    if (free > end) refuse('truncated', `${name} goes on past the end`);
    starts.set(entry, start);
  }
  return starts;
}

/** Checks that the local header says what the directory says; gives where the bytes start. */
async function checkLocal(file: Source, entry: Entry, end: number): Promise<number> {
  const { headerAt, rawName } = entry;
  const length = Math.min(LOCAL_BYTES + rawName.length, end - headerAt);
  const header = await file.read(headerAt, length);
  if (header.readUInt32LE(0) !== LOCAL) {
    refuse('archive', `${quote(entry.name)} is not where the directory says`);
  }
  const flags = header.readUInt16LE(6);
  const expected = [entry.crc, entry.packedBytes, entry.bytes].map((v) => Math.min(v, 0xffffffff));
  const found = [14, 18, 22].map((offset) => header.readUInt32LE(offset));
  // Zeros where a descriptor behind the bytes has them, and all ones where the zip64 field has them.
  const isLeftOut = (value: number) =>
    value === 0xffffffff || ((flags & HAS_DESCRIPTOR) !== 0 && value === 0);
  const agree =
    flags === entry.flags &&
    header.readUInt16LE(8) === entry.method &&
    header.readUInt16LE(26) === rawName.length &&
    header.subarray(LOCAL_BYTES).equals(rawName) &&
    found.every((value, at) => value === expected[at] || isLeftOut(value));
  if (!agree) refuse('archive', `${quote(entry.name)} has two headers that differ`);
  return headerAt + LOCAL_BYTES + rawName.length + header.readUInt16LE(28);
}

async function* unpack(file: Source, entry: Entry, start: number): AsyncGenerator<Buffer> {
  const packed = blocksOf(file, { offset: start, length: entry.packedBytes });
  let bytes = 0;
  let crc = 0;
  for await (const block of entry.method === DEFLATED ? inflate(packed, entry) : packed) {
    bytes += block.length;
    crc = crc32(block, crc);
    if (bytes > entry.bytes) break;
    yield block;
  }
  if (bytes !== entry.bytes) {
    const says = `${quote(entry.name)} says it unpacks to ${grouped(entry.bytes)} bytes`;
    refuse('archive-size', `${says}, but it has ${bytes > entry.bytes ? 'more' : grouped(bytes)}`);
  }
  if (crc !== entry.crc) refuse('archive-crc', `The bytes of ${quote(entry.name)} were changed`);
}

async function* inflate(packed: AsyncIterable<Buffer>, entry: Entry): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize: BLOCK_BYTES });
  // Whatever ends the pipeline early ends the loop below too, which says why.
  const fed = pipeline(Readable.from(packed), stream).catch(() => {});
  try {
    for await (const block of stream) yield block;
  } catch (cause) {
    if (!(cause instanceof Error && 'errno' in cause)) throw cause;
    refuse('archive-deflate', `${quote(entry.name)} cannot be unpacked: ${cause.message}`);
  } finally {
    stream.destroy();
    await fed;
  }
  if (stream.bytesWritten !== entry.packedBytes) {
    refuse('archive-size', `${quote(entry.name)} ends before its packed bytes do`);
  }
}
