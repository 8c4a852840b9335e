import { posix } from 'node:path';
import { assertWithinLimit, type ValidationLimits } from '../../../validation/budgets.ts';
import type { ParsedJson } from '../../../validation/json-scanner.ts';
import { readEntry, readEntryHead } from '../../../validation/zip/read-entry.ts';
import type { ZipArchive, ZipEntry } from '../../../validation/zip/zip-archive.ts';
import type { ExternalFile, ExternalFiles } from './external-files.ts';

/** Where nearly every image has its size; JPEGs may have colour profiles and previews first. */
const IMAGE_HEADER_BYTES = 64 * 1024;
const MAX_IMAGE_HEADER_BYTES = 1024 * 1024;

type ReadExternalFilesOptions = {
  modelEntry: ZipEntry;
  json: ParsedJson;
  limits: ValidationLimits;
};

/**
 * Unpacks the files beside a .gltf: all of those that are its buffers, of the others the start.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function readExternalFiles(
  archive: ZipArchive,
  { modelEntry, json, limits }: ReadExternalFilesOptions,
): Promise<{ siblings: ExternalFiles; bytes: number }> {
  const nameOf = (uri: string) => resolveUri(archive.entries, modelEntry.name, uri);
  const buffers = new Set(listUris(json.value, 'buffers').map(nameOf));
  const images = new Set(listUris(json.value, 'images').map(nameOf));
  const found = new Map<string, ExternalFile>();
  let held = modelEntry.uncompressedBytes;
  for (const entry of archive.entries.values()) {
    if (entry === modelEntry) continue;
    const isBuffer = buffers.has(entry.name);
    const isLong = images.has(entry.name) && entry.uncompressedBytes > IMAGE_HEADER_BYTES;
    held += isBuffer
      ? entry.uncompressedBytes
      : Math.min(entry.uncompressedBytes, isLong ? MAX_IMAGE_HEADER_BYTES : IMAGE_HEADER_BYTES);
    assertWithinLimit('archiveBuffers', held, limits);
    const head = isBuffer
      ? await readEntry(archive, entry)
      : await readEntryHead(archive, entry, isLong ? MAX_IMAGE_HEADER_BYTES : IMAGE_HEADER_BYTES);
    found.set(entry.name, isBuffer ? { head, bytes: head } : { head });
  }
  const find = (uri: string) => found.get(nameOf(uri) ?? '');
  return { siblings: { find }, bytes: held - modelEntry.uncompressedBytes };
}

/** The entry that a URI in the file `main` means; whatever is not in the archive is no entry. */
function resolveUri(
  entries: ReadonlyMap<string, ZipEntry>,
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
