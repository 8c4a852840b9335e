import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { BlobRef } from '../blobs/blob-store.ts';

/** The query parameter `sha256` of an upload. */
export const Sha256Parameter = Type.String({
  pattern: '^[0-9a-fA-F]{64}$',
  description:
    'The expected SHA-256 of the file, hex. The received file is compared with it. If the file is the request body, the header `Content-Digest: sha-256=:…:` (RFC 9530) does the same.',
});

/**
 * Reads the expected SHA-256 of the file, hex. Undefined if the client sent none.
 *
 * @throws {Problem} request.invalid
 */
export function parseExpectedSha256(
  request: FastifyRequest<{ Querystring: { sha256?: string } }>,
): string | undefined {
  const parameter = request.query.sha256?.toLowerCase();
  const digest = parseContentDigest(request);
  if (parameter !== undefined && digest !== undefined && parameter !== digest)
    throw invalidDigestError('differs from query.sha256');
  return parameter ?? digest;
}

/** @throws {Problem} design.checksum */
export function assertSha256(ref: BlobRef, expected: string | undefined): void {
  if (expected === undefined || ref === expected) return;
  throw new Problem('design.checksum', {
    field: 'sha256',
    detail: `The received file has the SHA-256 ${ref}, but ${expected} was announced. It was not stored; send it again.`,
  });
}

const CONTENT_DIGEST_FIELD = 'header.content-digest';

function parseContentDigest(request: FastifyRequest): string | undefined {
  const header = request.headers['content-digest'];
  if (header === undefined) return undefined;
  if (request.isMultipart())
    throw invalidDigestError('applies to the whole form. Send ?sha256= for the file in it');
  // A dictionary (RFC 8941) of algorithms, each with its digest between colons.
  const match = /(?:^|,)[ \t]*sha-256=:([A-Za-z0-9+/]{43}=):[ \t]*(?:,|$)/.exec(`${header}`);
  if (match === null)
    throw invalidDigestError('must have a SHA-256, as in sha-256=:<base64>:; no other is compared');
  return Buffer.from(match[1] ?? '', 'base64').toString('hex');
}

function invalidDigestError(message: string): Problem {
  return new Problem('request.invalid', {
    field: CONTENT_DIGEST_FIELD,
    detail: `${CONTENT_DIGEST_FIELD}: ${message}.`,
  });
}
