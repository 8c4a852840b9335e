import { assertWithinLimit } from '../../../validation/budgets.ts';
import {
  IMAGE_HEADER_BYTES,
  MAX_IMAGE_HEADER_BYTES,
} from '../../../validation/image-size/image-size.ts';
import type { ParsedJson } from '../../../validation/json-scanner.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import { createEntryFinder } from '../../../validation/zip/model-archive.ts';
import { readEntryHead } from '../../../validation/zip/read-entry.ts';
import type { ZipArchive, ZipEntry } from '../../../validation/zip/zip-archive.ts';
import { resolveUri } from '../resolve-uri.ts';
import type { ExternalFile, ExternalFiles } from './external-files.ts';

type ReadExternalFilesOptions = {
  modelEntry: ZipEntry;
  json: ParsedJson;
  limits: ValidationLimits;
};

/**
 * Reads the external files of a glTF: buffers completely, the first bytes of other files.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function readExternalFiles(
  archive: ZipArchive,
  { modelEntry, json, limits }: ReadExternalFilesOptions,
): Promise<{ externalFiles: ExternalFiles; bytes: number }> {
  const findEntry = createEntryFinder(archive.entries.keys());
  const resolve = (uri: string) => resolveUri(uri, modelEntry.name, findEntry);
  const bufferNames = new Set(listUris(json.value, 'buffers').map(resolve));
  const imageNames = new Set(listUris(json.value, 'images').map(resolve));
  const filesByName = new Map<string, ExternalFile>();
  let memoryBytes = modelEntry.uncompressedBytes;
  for (const entry of archive.entries.values()) {
    if (entry === modelEntry) continue;
    const isBuffer = bufferNames.has(entry.name);
    const maxHeadBytes = imageNames.has(entry.name) ? MAX_IMAGE_HEADER_BYTES : IMAGE_HEADER_BYTES;
    const headBytes = isBuffer
      ? entry.uncompressedBytes
      : Math.min(entry.uncompressedBytes, maxHeadBytes);
    memoryBytes += headBytes;
    assertWithinLimit('archiveBuffers', memoryBytes, limits);
    const head = await readEntryHead(archive, entry, headBytes);
    filesByName.set(entry.name, isBuffer ? { head, bytes: head } : { head });
  }
  const find = (uri: string) => filesByName.get(resolve(uri) ?? '');
  return { externalFiles: { find }, bytes: memoryBytes - modelEntry.uncompressedBytes };
}

/** Lists the URIs in a list of the JSON, which has not been validated yet. */
function listUris(json: unknown, list: 'buffers' | 'images'): string[] {
  const items = (json as Record<string, unknown> | null)?.[list];
  if (!Array.isArray(items)) return [];
  return items.map((item) => item?.uri).filter((uri) => typeof uri === 'string');
}
