import type { BlobRange } from '../blobs/blob-store.ts';

/** Says whether `If-None-Match` contains the ETag (RFC 9110 §13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((item) => item.trim().replace(/^W\//, '') === etag);
}

/**
 * Parses a `Range` header (RFC 9110 §14). The end is limited to the size; `start` is greater than `end`
 * if the range is outside the file. Returns undefined, which means the whole file, if the header has
 * several ranges or is not well formed.
 */
export function parseRange(header: string, sizeBytes: number): BlobRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes - 1 };
  if (last === '') return { start: Number(first), end: sizeBytes - 1 };
  if (Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: Math.min(Number(last), sizeBytes - 1) };
}
