/** Whether `If-None-Match` has the ETag (RFC 9110 §13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((item) => item.trim().replace(/^W\//, '') === etag);
}

/** Offsets of the first and the last byte. */
export type ByteRange = { start: number; end: number };

/**
 * Reads the one range of a `Range` header (RFC 9110 §14), cut to the size. `start` is greater than
 * `end` if the range is beyond the size. Undefined, which means the whole, for several ranges and for a
 * header that is not well formed.
 */
export function parseRange(header: string, sizeBytes: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes - 1 };
  if (last === '') return { start: Number(first), end: sizeBytes - 1 };
  if (Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: Math.min(Number(last), sizeBytes - 1) };
}
