import { Problem } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { hasBody } from '../http/drain-body.ts';
import { TUS_MEDIA_TYPE, TUS_VERSION } from './tus-server.ts';

const INTEGER_PATTERN = '^(0|[1-9][0-9]{0,14})$';

const tusResumableHeader = Type.Optional(
  Type.String({ description: 'The protocol version: `1.0.0`. Required in every request.' }),
);
const uploadLengthHeader = Type.Optional(
  Type.String({ pattern: INTEGER_PATTERN, description: 'The size of the file in bytes.' }),
);

/** Headers of requests that have no other tus headers. */
export const TusHeaders = Type.Object({ 'tus-resumable': tusResumableHeader });

/** Headers of POST /v1/uploads. */
export const CreateUploadHeaders = Type.Object({
  'tus-resumable': tusResumableHeader,
  'upload-length': uploadLengthHeader,
  'upload-defer-length': Type.Optional(
    Type.Literal('1', { description: 'The size is sent later, with a PATCH.' }),
  ),
  'upload-metadata': Type.Optional(
    Type.String({
      description:
        'Pairs of a key and a base64 value: `filename`, `name`, `sha256` (hex), `design` (id or URI of a design that gets the file as its next revision).',
    }),
  ),
});

/** Headers of PATCH /v1/uploads/{id}. */
export const PatchUploadHeaders = Type.Object({
  'tus-resumable': tusResumableHeader,
  'upload-offset': Type.String({
    pattern: INTEGER_PATTERN,
    description: 'Offset of the first byte of the body: the number of bytes received so far.',
  }),
  'upload-length': uploadLengthHeader,
});

/** Headers of unsupported extensions are rejected, not ignored. */
const UNSUPPORTED_HEADERS: Record<string, string> = {
  'upload-checksum':
    'is not supported. Send the SHA-256 of the whole file as "sha256" in Upload-Metadata',
  'upload-concat': 'is not supported. Send the file as one upload',
  'x-http-method-override': 'is not supported. Send the method itself',
};

/** Adds the protocol version to every response. */
export async function setTusVersion(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('tus-resumable', TUS_VERSION).header('tus-version', TUS_VERSION);
}

/** @throws {Problem} upload.version, request.media-type, request.invalid */
export async function assertTusHeaders(request: FastifyRequest): Promise<void> {
  const { method, headers } = request;
  if (method === 'OPTIONS') return;
  if (headers['tus-resumable'] !== TUS_VERSION) {
    throw new Problem('upload.version', {
      field: 'header.tus-resumable',
      detail: `Send the header "Tus-Resumable: ${TUS_VERSION}", as clients of tus 1.0 do.`,
    });
  }
  for (const [name, message] of Object.entries(UNSUPPORTED_HEADERS)) {
    if (headers[name] === undefined) continue;
    const field = `header.${name}`;
    throw new Problem('request.invalid', { field, detail: `${field}: ${message}.` });
  }
  if ((method === 'PATCH' || hasBody(request)) && headers['content-type'] !== TUS_MEDIA_TYPE) {
    throw new Problem('request.media-type', {
      field: 'header.content-type',
      detail: `Send the bytes of an upload with "Content-Type: ${TUS_MEDIA_TYPE}".`,
    });
  }
}
