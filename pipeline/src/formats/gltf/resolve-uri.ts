import { posix } from 'node:path';
import { resolveRelativePath } from '../../validation/zip/model-archive.ts';

/**
 * Finds the archive entry that a relative URI in a glTF refers to; undefined if there is none.
 *
 * URIs are percent-encoded, but many exporters do not encode names: if no entry has the decoded
 * name, the URI itself is the name. Validation and import must agree, so both call this.
 *
 * @param modelPath of the glTF within the archive
 * @param findEntry of createEntryFinder
 */
export function resolveUri(
  uri: string,
  modelPath: string,
  findEntry: (path: string) => string | undefined,
): string | undefined {
  // A scheme or an absolute path leads out of the archive.
  if (/^[a-z][a-z0-9+.-]*:|^[\\/]/i.test(uri)) return undefined;
  const paths = [decodeUri(uri), uri].map((path) => resolveRelativePath(modelPath, path));
  return paths.map(findEntry).find((path) => path !== undefined);
}

/** Returns the decoded file name at the end of a URI. */
export function getUriBasename(uri: string): string {
  return posix.basename(decodeUri(uri));
}

function decodeUri(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    // A percent sign without two hexadecimal digits: the name is not encoded.
    return uri;
  }
}
