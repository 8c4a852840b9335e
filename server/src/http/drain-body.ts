import type { IncomingMessage } from 'node:http';
import type { RequestHook } from './request-hook.ts';

/**
 * Reads and drops what still comes of a body when its request is answered, so that the client gets to
 * read the answer; not for ever, or a body that never comes would hold its connection.
 */
export function createDrainBodyHook(deadlineMs: number): RequestHook {
  return ({ raw }, reply) => {
    if (hasBody(raw)) reply.raw.on('finish', () => drainBody(raw, deadlineMs));
  };
}

/** Does a request bring a body? */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function drainBody(body: IncomingMessage, deadlineMs: number): void {
  if (body.complete) return;
  body.unpipe();
  body.resume();
  const timer = setTimeout(() => body.destroy(), deadlineMs).unref();
  body.once('close', () => clearTimeout(timer));
}
