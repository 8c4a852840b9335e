import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Returns those of the content encodings that the client accepts. */
export function findAcceptedEncodings<T extends string>(
  { raw }: FastifyRequest,
  encodings: readonly T[],
): T[] {
  return new Negotiator(raw).encodings([...encodings]) as T[];
}

/** Returns the `Vary` of a response that depends on `Accept-Encoding` as well. */
export function toVaryWithEncoding(reply: FastifyReply): string {
  return [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ');
}
