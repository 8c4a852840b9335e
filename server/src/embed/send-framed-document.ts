import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseTextEncoding } from '../http/compressed-text.ts';
import type { FramedDocument } from './framed-document.ts';

/** Sends a framed document in the smallest encoding that the browser accepts. */
export function sendFramedDocument(
  { headers: requestHeaders }: FastifyRequest,
  reply: FastifyReply,
  { body, headers }: FramedDocument,
) {
  const encoding = chooseTextEncoding(requestHeaders['accept-encoding']);
  reply.headers(headers);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(body[encoding]);
}
