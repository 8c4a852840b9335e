import { posix } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { openFileReader } from '../byte-reader.ts';
import { VALIDATION_LIMITS } from '../limits.ts';
import { readEntry } from './read-entry.ts';
import { openZipArchive } from './zip-archive.ts';

/** The files of a zip archive, by their paths in it. Nothing outside it can be read. */
export type ModelArchive = AsyncDisposable & {
  /** Whether there is an entry with exactly this path. */
  has(path: string): boolean;
  /** The path as the archive spells it, for one that may differ in case. */
  find(path: string): string | undefined;
  /** The path of a file that has that name, in whatever folder. */
  findByName(name: string): string | undefined;
  /** @throws {Problem} design.unreadable when it is not there or damaged */
  read(path: string): Promise<Buffer>;
};

/**
 * Opens a zip archive on the disk; leaving the block closes it.
 *
 * With the reader that has checked it before: a second one might understand it differently.
 */
export async function openModelArchive(path: string): Promise<ModelArchive> {
  const source = await openFileReader(path);
  const zip = await openZipArchive(source, VALIDATION_LIMITS);
  const { entries } = zip;
  const spellings = new Map<string, string>();
  const names = new Map<string, string>();
  for (const place of entries.keys()) {
    setIfAbsent(spellings, place.toLowerCase(), place);
    setIfAbsent(names, posix.basename(place).toLowerCase(), place);
  }
  return {
    has: (path) => entries.has(path),
    find(wanted) {
      const place = normalizePath(wanted) ?? '';
      return entries.has(place) ? place : spellings.get(place.toLowerCase());
    },
    findByName: (name) => names.get(name.toLowerCase()),
    async read(place) {
      const entry = entries.get(place);
      if (entry) return readEntry(zip, entry);
      const detail = `The archive has no file ${quoteUntrusted(place)}.`;
      throw new Problem('design.unreadable', { detail });
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

/** A path with `.` and `..` worked out and slashes forward; undefined if it leaves the archive. */
export function normalizePath(path: string): string | undefined {
  const plain = posix.normalize(path.replaceAll('\\', '/').replace(/^\/+/, ''));
  return plain === '..' || plain.startsWith('../') || plain === '.' ? undefined : plain;
}

/** Where a relative reference in the file at `from` points to. */
export function resolveRelativePath(from: string, reference: string): string {
  return posix.join(posix.dirname(from), reference.replaceAll('\\', '/'));
}

function setIfAbsent(map: Map<string, string>, key: string, value: string): void {
  if (!map.has(key)) map.set(key, value);
}
