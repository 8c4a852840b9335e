import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { BlobRef } from '../blobs/blob-store.ts';

/** The query parameter `sha256` of an upload. */
export const Sha256Parameter = Type.String({
  pattern: '^[0-9a-fA-F]{64}$',
  description:
    'The expected SHA-256 of the file, hex. A file with another SHA-256 is rejected. If the file is the request body, you can send the header `Content-Digest: sha-256=:…:` (RFC 9530) instead.',
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
    throw createInvalidDigestError('differs from query.sha256');
  return parameter ?? digest;
}

/** @throws {Problem} design.checksum */
export function assertSha256(ref: BlobRef, expected: string | undefined): void {
  if (expected === undefined || ref === expected) return;
  throw new Problem('design.checksum', {
    field: 'sha256',
    detail: `The received file has the SHA-256 ${ref}, but ${expected} was expected. It was not stored; send it again.`,
  });
}

const CONTENT_DIGEST_FIELD = 'header.content-digest';

function parseContentDigest(request: FastifyRequest): string | undefined {
  const header = request.headers['content-digest'];
  if (header === undefined) return undefined;
  if (request.isMultipart())
    throw createInvalidDigestError(
      'cannot be used with a form. Send the SHA-256 of the file as ?sha256=',
    );
  // A dictionary (RFC 8941) from algorithm to digest, in base64 between colons.
  const match = /(?:^|,)[ \t]*sha-256=:([A-Za-z0-9+/]{43}=):[ \t]*(?:,|$)/.exec(`${header}`);
  if (match === null)
    throw createInvalidDigestError(
      'must have a SHA-256 digest, such as sha-256=:<base64>:; other algorithms are not supported',
    );
  return Buffer.from(match[1] ?? '', 'base64').toString('hex');
}

function createInvalidDigestError(message: string): Problem {
  return new Problem('request.invalid', {
    field: CONTENT_DIGEST_FIELD,
    detail: `${CONTENT_DIGEST_FIELD}: ${message}.`,
  });
}
