import { posix } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { openFileReader } from '../byte-reader.ts';
import { VALIDATION_LIMITS } from '../limits.ts';
import { readEntry } from './read-entry.ts';
import { openZipArchive } from './zip-archive.ts';

/** The files of a validated zip archive, by path. Nothing outside of it can be read. */
export type ModelArchive = AsyncDisposable & {
  /** Finds the path of an entry, as createEntryFinder. */
  find(path: string): string | undefined;
  /** Finds the path of a file with that name in any folder. Upper and lower case may differ. */
  findByName(name: string): string | undefined;
  /** @throws {Problem} design.unreadable: there is no such file, or it is damaged */
  read(path: string): Promise<Buffer>;
};

/**
 * Opens a zip archive on disk. Disposing it closes the file.
 *
 * It uses the same zip reader as the validation, because another one could interpret the archive
 * differently.
 */
export async function openModelArchive(path: string): Promise<ModelArchive> {
  const file = await openFileReader(path);
  const zip = await openZipArchive(file, VALIDATION_LIMITS);
  const { entries } = zip;
  const findEntry = createEntryFinder(entries.keys());
  const pathsByName = new Map<string, string>();
  for (const path of entries.keys()) setIfAbsent(pathsByName, toKey(posix.basename(path)), path);
  return {
    find: findEntry,
    findByName: (name) => pathsByName.get(toKey(name)),
    async read(path) {
      const entry = entries.get(path);
      if (entry) return readEntry(zip, entry);
      const detail = `The archive has no file ${quoteUntrusted(path)}.`;
      throw new Problem('design.unreadable', { detail });
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

/**
 * Returns a function that finds the path of an entry: the same one or, if there is none, one that differs in upper and lower case,
 * or in the form of its accents: macOS writes those as separate characters.
 */
export function createEntryFinder(paths: Iterable<string>): (path: string) => string | undefined {
  const exact = new Set(paths);
  const byKey = new Map<string, string>();
  for (const path of exact) setIfAbsent(byKey, toKey(path), path);
  return (requestedPath) => {
    const path = normalizePath(requestedPath) ?? '';
    return exact.has(path) ? path : byKey.get(toKey(path));
  };
}

const toKey = (path: string) => path.normalize('NFC').toLowerCase();

/** Resolves `.`, `..` and backslashes; undefined if the path leads out of the archive. */
function normalizePath(path: string): string | undefined {
  const normalized = posix.normalize(path.replaceAll('\\', '/').replace(/^\/+/, ''));
  return normalized === '..' || normalized.startsWith('../') || normalized === '.'
    ? undefined
    : normalized;
}

/** Resolves a relative path in the file at `from` to a path in the archive. */
export function resolveRelativePath(from: string, reference: string): string {
  return posix.join(posix.dirname(from), reference.replaceAll('\\', '/'));
}

function setIfAbsent(map: Map<string, string>, key: string, value: string): void {
  if (!map.has(key)) map.set(key, value);
}
