import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance } from 'fastify';
import { hasBody } from './drain-body.ts';

/**
 * Refuses bodies that are encoded: nothing here decodes them.
 *
 * - Another transfer encoding than `chunked` gets 400 and closes the connection. Node reads `gzip, chunked` as
 *   `chunked`, but a proxy may not: then they disagree about where the next request begins.
 * - A content encoding other than `identity` gets 415.
 */
export function registerBodyEncodingCheck(app: FastifyInstance): void {
  // Before Fastify, which runs no hooks for URLs that it cannot route.
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (hasUnknownTransferEncoding(request)) response.shouldKeepAlive = false;
  });
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (!hasUnknownTransferEncoding(raw)) return done();
    throw new Problem('request.malformed', {
      field: 'header.transfer-encoding',
      detail: 'header.transfer-encoding: only "chunked" is supported.',
    });
  });
  app.addHook('preParsing', ({ raw }, _reply, payload, done) => {
    const encoding = raw.headers['content-encoding'];
    if (encoding === undefined || isIdentity(encoding) || !hasBody(raw)) return done(null, payload);
    throw new Problem('request.media-type', {
      field: 'header.content-encoding',
      detail: `header.content-encoding: "${encoding.slice(0, 40)}" is not supported. Send the body as it is, without this header.`,
    });
  });
}

/** Such as `gzip, chunked`. Node's parser refuses those that do not end with `chunked` by itself. */
function hasUnknownTransferEncoding({ headers }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'chunked';
}

const isIdentity = (encoding: string) => encoding.trim().toLowerCase() === 'identity';
