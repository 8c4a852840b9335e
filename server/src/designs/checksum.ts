import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { BlobRef } from '../blobs/blob-store.ts';

/** The query parameter with which a client says what it sends. */
export const Sha256Parameter = Type.String({
  pattern: '^[0-9a-fA-F]{64}$',
  description:
    'The SHA-256 of the file, hex. What arrives is compared with it. For a file that is the body, the header `Content-Digest: sha-256=:…:` (RFC 9530) says the same.',
});

/**
 * Reads what the file's SHA-256 must be, hex; undefined when the client does not say.
 * @throws {Problem} request.invalid
 */
export function parseExpectedSha256(
  request: FastifyRequest<{ Querystring: { sha256?: string } }>,
): string | undefined {
  const asked = request.query.sha256?.toLowerCase();
  const digest = parseContentDigest(request);
  if (asked !== undefined && digest !== undefined && asked !== digest)
    throw invalidChecksumError(CONTENT_DIGEST_FIELD, 'says another SHA-256 than query.sha256');
  return asked ?? digest;
}

/** @throws {Problem} design.checksum */
export function assertSha256(ref: BlobRef, wanted: string | undefined): void {
  if (wanted === undefined || ref === wanted) return;
  throw new Problem('design.checksum', {
    field: 'sha256',
    detail: `The file that arrived has the SHA-256 ${ref}, and ${wanted} was announced. Nothing was kept; send it again.`,
  });
}

const CONTENT_DIGEST_FIELD = 'header.content-digest';

function parseContentDigest(request: FastifyRequest): string | undefined {
  const text = request.headers['content-digest'];
  if (text === undefined) return undefined;
  if (request.isMultipart())
    throw invalidChecksumError(
      CONTENT_DIGEST_FIELD,
      'would be that of the form. Send ?sha256= for the file in it',
    );
  // A dictionary (RFC 8941) of algorithms, each with its digest between colons.
  const found = /(?:^|,)[ \t]*sha-256=:([A-Za-z0-9+/]{43}=):[ \t]*(?:,|$)/.exec(`${text}`);
  if (found === null)
    throw invalidChecksumError(
      CONTENT_DIGEST_FIELD,
      'must have a SHA-256, as in sha-256=:<base64>:, which is what is compared',
    );
  return Buffer.from(found[1] ?? '', 'base64').toString('hex');
}

function invalidChecksumError(field: string, fault: string): Problem {
  return new Problem('request.invalid', { field, detail: `${field}: ${fault}.` });
}
