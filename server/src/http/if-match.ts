import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';

/** The entity tags of an `If-Match` header: any, or those listed. */
export type IfMatch = '*' | readonly string[];

/** An item of the list, which may be empty (RFC 9110 §5.6.1 and §8.8.3). A comma may be within the quotes. */
const LIST_ITEM = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

/** Returns the strong entity tag of a version. It is unique among those of one resource. */
export function toEtag(version: number): string {
  return `"${version}"`;
}

/** Parses the header `If-Match` (RFC 9110 §13.1.1). Undefined: absent. @throws {Problem} request.invalid */
export function parseIfMatch({ headers }: Pick<FastifyRequest, 'headers'>): IfMatch | undefined {
  const header = headers['if-match'];
  if (header === undefined || header === '*') return header;
  const etags = parseEntityTags(header);
  if (etags !== undefined && etags.length > 0) return etags;
  throw new Problem('request.invalid', {
    field: 'header.if-match',
    detail:
      'header.if-match: must be the ETag of an earlier response with its quotes, several of them separated by commas, or *. Example: If-Match: "3"',
  });
}

function parseEntityTags(header: string): string[] | undefined {
  const etags: string[] = [];
  const pattern = new RegExp(LIST_ITEM);
  while (pattern.lastIndex < header.length) {
    const item = pattern.exec(header);
    if (item === null) return undefined;
    if (item[1] !== undefined) etags.push(item[1]);
  }
  return etags;
}

/** Whether the header allows a version. Weak tags never match. */
export function isVersionMatch(ifMatch: IfMatch | undefined, version: number): boolean {
  return ifMatch === undefined || ifMatch === '*' || ifMatch.includes(toEtag(version));
}

/**
 * Asserts that the resource has a version that the client has seen.
 *
 * @throws {Problem} request.precondition-failed
 */
export function assertIfMatch(ifMatch: IfMatch | undefined, version: number): void {
  if (isVersionMatch(ifMatch, version)) return;
  const etag = toEtag(version);
  throw new Problem('request.precondition-failed', {
    field: 'header.if-match',
    detail: `header.if-match: it was changed by another request, and its ETag is ${etag} now. Nothing was changed. Read it again, and send your change with that ETag.`,
    etag,
  });
}
