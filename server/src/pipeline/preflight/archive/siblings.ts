import { posix } from 'node:path';
import type { Json } from '../json.ts';
import { type Limits, limit } from '../limits.ts';
import type { Sibling, Siblings } from '../siblings.ts';
import type { Archive, Entry } from './archive.ts';
import { readAll, readHead } from './read.ts';

/** Where nearly every image has its size; JPEGs may have colour profiles and previews first. */
const HEAD_BYTES = 64 * 1024;
const LONG_HEAD_BYTES = 1024 * 1024;

type Needs = { main: Entry; json: Json; limits: Limits };

/**
 * Unpacks the files beside a .gltf: all of those that are its buffers, of the others the start.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function readSiblings(
  archive: Archive,
  { main, json, limits }: Needs,
): Promise<{ siblings: Siblings; bytes: number }> {
  const nameOf = (uri: string) => findName(archive.entries, main.name, uri);
  const buffers = new Set(listUris(json.value, 'buffers').map(nameOf));
  const images = new Set(listUris(json.value, 'images').map(nameOf));
  const found = new Map<string, Sibling>();
  let held = main.bytes;
  for (const entry of archive.entries.values()) {
    if (entry === main) continue;
    const isBuffer = buffers.has(entry.name);
    const isLong = images.has(entry.name) && entry.bytes > HEAD_BYTES;
    held += isBuffer ? entry.bytes : Math.min(entry.bytes, isLong ? LONG_HEAD_BYTES : HEAD_BYTES);
    limit('archiveBuffers', held, limits);
    const head = isBuffer
      ? await readAll(archive, entry)
      : await readHead(archive, entry, isLong ? LONG_HEAD_BYTES : HEAD_BYTES);
    found.set(entry.name, isBuffer ? { head, bytes: head } : { head });
  }
  const find = (uri: string) => found.get(nameOf(uri) ?? '');
  return { siblings: { find }, bytes: held - main.bytes };
}

/** The entry that a URI in the file `main` means; whatever is not in the archive is no entry. */
function findName(
  entries: ReadonlyMap<string, Entry>,
  main: string,
  uri: string,
): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^[\\/]/i.test(uri)) return undefined;
  const plain = posix.join(posix.dirname(main), uri);
  if (entries.has(plain)) return plain;
  try {
    const decoded = posix.join(posix.dirname(main), decodeURIComponent(uri));
    return entries.has(decoded) ? decoded : undefined;
  } catch {
    // A broken escape is no name of anything.
    return undefined;
  }
}

/** The URIs of a list in the JSON, of which nothing is known yet. */
function listUris(json: unknown, list: 'buffers' | 'images'): string[] {
  const items = (json as Record<string, unknown> | null)?.[list];
  if (!Array.isArray(items)) return [];
  return items.map((item) => item?.uri).filter((uri) => typeof uri === 'string');
}
