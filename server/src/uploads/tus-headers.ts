import { Problem } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { hasBody } from '../http/drain-body.ts';
import { TUS_MEDIA_TYPE, TUS_VERSION } from './tus-server.ts';

const INTEGER_PATTERN = '^(0|[1-9][0-9]{0,14})$';

const tusResumableHeader = Type.Optional(
  Type.String({ description: 'The version of the protocol: `1.0.0`. Every request says it.' }),
);
const uploadLengthHeader = Type.Optional(
  Type.String({ pattern: INTEGER_PATTERN, description: 'The size of the file in bytes.' }),
);

export const TusHeaders = Type.Object({ 'tus-resumable': tusResumableHeader });

export const CreateUploadHeaders = Type.Object({
  'tus-resumable': tusResumableHeader,
  'upload-length': uploadLengthHeader,
  'upload-defer-length': Type.Optional(
    Type.Literal('1', { description: 'The size is said later, with a PATCH.' }),
  ),
  'upload-metadata': Type.Optional(
    Type.String({
      description:
        'Pairs of a key and a value in base64: `filename`, `name`, `sha256` (hex), `design` (its id or URI: the file becomes its next revision).',
    }),
  ),
});

export const PatchUploadHeaders = Type.Object({
  'tus-resumable': tusResumableHeader,
  'upload-offset': Type.String({
    pattern: INTEGER_PATTERN,
    description: 'Where the bytes of the body go: where the upload stands.',
  }),
  'upload-length': uploadLengthHeader,
});

/** What we do not do must not look as if it was done. */
const UNSUPPORTED_HEADERS: Record<string, string> = {
  'upload-checksum':
    'is not read here. Say the SHA-256 of the whole file as "sha256" in Upload-Metadata',
  'upload-concat': 'is not known here. Send the file as one upload, not in parallel parts',
  'x-http-method-override': 'is not read here. Send the method itself',
};

/** Puts on every answer which protocol is spoken here. */
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
      detail: `Send the header "Tus-Resumable: ${TUS_VERSION}"; clients of tus 1.0 do.`,
    });
  }
  for (const [name, fault] of Object.entries(UNSUPPORTED_HEADERS)) {
    if (headers[name] === undefined) continue;
    const field = `header.${name}`;
    throw new Problem('request.invalid', { field, detail: `${field}: ${fault}.` });
  }
  if ((method === 'PATCH' || hasBody(request)) && headers['content-type'] !== TUS_MEDIA_TYPE) {
    throw new Problem('request.media-type', {
      field: 'header.content-type',
      detail: `The bytes of an upload come with "Content-Type: ${TUS_MEDIA_TYPE}".`,
    });
  }
}
