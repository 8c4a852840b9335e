import type { FastifyReply } from 'fastify';

/**
 * An answer of status 200 as Node writes it: the names and values of its headers in turns, and its
 * body. A text holds a byte in each letter.
 */
export type PreparedResponse = { headers: string[]; body: Buffer | string };

/**
 * Up to this size a body goes to the socket in one piece with the headers, which Node does for texts
 * alone; above it, putting them together costs more than writing two.
 */
const MAX_SINGLE_WRITE_BYTES = 4096;

/** Makes an answer ready to be sent, so that nothing is encoded or joined anew each time. */
export function prepareResponse(
  headers: Record<string, unknown>,
  body: string | Buffer,
): PreparedResponse {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const list = ['content-length', String(bytes.length)];
  for (const name in headers) {
    if (name !== 'content-length') list.push(name, String(headers[name]));
  }
  return {
    headers: list,
    body: bytes.length <= MAX_SINGLE_WRITE_BYTES ? bytes.toString('latin1') : bytes,
  };
}

/** Makes an answer ready once for each thing; the same thing is always the same answer. */
export function memoizeResponse<T extends object>(
  make: (thing: T) => PreparedResponse,
): (thing: T) => PreparedResponse {
  const made = new WeakMap<T, PreparedResponse>();
  return (thing) => {
    const known = made.get(thing);
    if (known !== undefined) return known;
    const ready = make(thing);
    made.set(thing, ready);
    return ready;
  };
}

/**
 * Sends an answer that is ready, past Fastify: what `reply.header` was told is not sent. A HEAD gets the
 * headers alone, from Node. Who listens to the response hears of it as ever.
 */
export function sendPrepared(reply: FastifyReply, { headers, body }: PreparedResponse): void {
  // First, so that headers Node refuses are still a failure with an answer.
  reply.raw.writeHead(200, headers);
  reply.hijack();
  if (typeof body === 'string') reply.raw.end(body, 'latin1');
  else reply.raw.end(body);
}
