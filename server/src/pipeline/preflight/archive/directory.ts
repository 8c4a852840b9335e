import { Problem } from '@cloche/contract/problem';
import { grouped, type Limits, limit } from '../limits.ts';
import { quote } from '../quote.ts';
import type { Source } from '../source.ts';
import { CENTRAL_BYTES, findDirectory, readWide } from './end.ts';
import { checkName, checkSort } from './names.ts';
import { refuse } from './refuse.ts';

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

const CENTRAL = 0x02014b50;
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
